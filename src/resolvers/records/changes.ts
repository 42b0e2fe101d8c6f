import { isObject, type JsonValue } from '../../lib/json.ts';
import { type Problem, problem } from '../../lib/problems.ts';
import {
  type Cast,
  castField,
  castScalar,
  type Scalar,
  type StoredFields,
  type StoredValue,
  type TypedField,
} from '../classes/values.ts';
import { OPERATORS, type RecordOperators } from './operators.ts';

export interface RuledField extends TypedField {
  isRequired: boolean;
  /** The field, or an index that includes it, is unique. */
  isInUniqueKey: boolean;
  /** Limit of a text in an index. */
  maxBytes: number | null;
}

export type RuledFields = ReadonlyMap<string, RuledField>;

export interface RecordChanges extends RecordOperators {
  /** Values by field; an array field also accepts `{ "<index>": item }`. */
  fields?: unknown;
}

export interface ChangedRecord {
  fields: StoredFields;
  problems: Problem[];
  /** Problems that do not depend on the previous value. */
  inputProblems: Problem[];
  isTooLarge: boolean;
  /** Fields as JSON; 0 if there are problems. */
  bytes: number;
}

/** Fields as JSON in UTF-8. */
export const MAX_RECORD_BYTES = 262_144;

/** Ignores unknown names. */
export function newFields(rules: RuledFields, given: unknown): ChangedRecord {
  return new FieldChanges(rules, { fields: given }, { isNew: true }).changed({});
}

/** If so, other records decide whether the change succeeds. */
export function mentionsUnique(rules: RuledFields, changes: RecordChanges): boolean {
  return ['fields' as const, ...OPERATORS.map(([name]) => name)].some((name) => {
    const given = changes[name] as JsonValue | undefined;
    return isObject(given) && Object.keys(given).some((field) => rules.get(field)?.isInUniqueKey);
  });
}

type Step = (record: ChangingRecord) => void;

/** Casts the input once for all records. */
export class FieldChanges {
  readonly #rules: RuledFields;
  readonly #steps: Step[] = [];

  constructor(rules: RuledFields, changes: RecordChanges, { isNew = false }: { isNew?: boolean } = {}) {
    this.#rules = rules;
    this.#addSteps('fields', changes.fields, (field, given) => {
      if (field.type === 'File') return undefined;
      const isByIndex = !isNew && field.isArray && isObject(given) && !('lat' in given);
      if (isByIndex) return replacingItems(field, given);
      const cast = castField(field, given);
      return (record) => record.give(field, cast);
    });
    for (const [name, operator, read] of OPERATORS) {
      this.#addSteps(name, changes[name], (field, given) => {
        const change = read(field, given);
        if (change) return (record) => record.set(field, change(record.valueOf(field)));
        return refusing(problem('OPERATOR_NOT_ALLOWED', { operator, field: field.name }));
      });
    }
  }

  /** Problems that do not depend on the record. */
  problems(): Problem[] {
    return this.#apply({}).problems;
  }

  changed(before: StoredFields): ChangedRecord {
    const record = this.#apply(before);
    record.check(this.#rules);
    return record;
  }

  #apply(before: StoredFields): ChangingRecord {
    const record = new ChangingRecord(before);
    for (const step of this.#steps) step(record);
    return record;
  }

  #addSteps(what: string, given: unknown, stepOf: (field: RuledField, given: JsonValue) => Step | undefined): void {
    if (given === undefined || given === null) return;
    if (!isObject(given as JsonValue)) {
      this.#steps.push(refusing(problem('NOT_AN_OBJECT', { name: what })));
      return;
    }
    for (const [name, value] of Object.entries(given)) {
      const field = this.#rules.get(name);
      const step = field && stepOf(field, value);
      if (step) this.#steps.push(step);
    }
  }
}

const refusing =
  (problem: Problem): Step =>
  (record) => {
    record.problems.push(problem);
  };

/** `{ "1": "x" }` replaces the second item; an index beyond the end appends. */
function replacingItems(field: RuledField, given: Record<string, JsonValue>): Step {
  const entries = Object.entries(given).map(([key, item]) => [readIndex(key), castScalar(field, item)] as const);
  if (entries.some(([index]) => index === undefined))
    return refusing(problem('FIELD_NOT_A_LIST', { field: field.name }));
  entries.sort(([a], [b]) => a! - b!);
  return (record) => {
    const items = [...((record.valueOf(field) as Scalar[] | undefined) ?? [])];
    for (const [index, cast] of entries) {
      if (cast.problem !== undefined) record.problems.push(cast.problem);
      else items[Math.min(index!, items.length)] = cast.value;
    }
    record.set(field, { value: items });
  };
}

function readIndex(key: string): number | undefined {
  return /^\d{1,6}$/.test(key) ? Number(key) : undefined;
}

class ChangingRecord implements ChangedRecord {
  readonly problems: Problem[] = [];
  readonly inputProblems: Problem[] = [];
  isTooLarge = false;
  bytes = 0;
  readonly fields: StoredFields;
  /** Fields whose complete value is in the input. */
  readonly #given = new Set<string>();

  constructor(before: StoredFields) {
    this.fields = { ...before };
  }

  valueOf({ name }: TypedField): StoredValue | undefined {
    return Object.hasOwn(this.fields, name) ? this.fields[name] : undefined;
  }

  give(field: TypedField, cast: Cast<StoredValue | null>): void {
    this.#given.add(field.name);
    this.set(field, cast);
  }

  set({ name }: TypedField, cast: Cast<StoredValue | null>): void {
    if (cast.problem !== undefined) this.problems.push(cast.problem);
    else if (cast.value === null) delete this.fields[name];
    else this.fields[name] = cast.value;
  }

  check(rules: RuledFields): void {
    if (this.problems.length > 0) return;
    for (const field of rules.values()) {
      const value = this.valueOf(field);
      const { maxBytes } = field;
      const isLimited = maxBytes !== null && field.type === 'String' && !field.isArray;
      if (field.isRequired && value === undefined)
        this.#refuse(field, problem('FIELD_REQUIRED', { field: field.name }));
      else if (isLimited && value !== undefined && Buffer.byteLength(String(value)) > maxBytes) {
        this.#refuse(field, problem('FIELD_TOO_LONG', { field: field.name, max: maxBytes }));
      }
    }
    this.bytes = Buffer.byteLength(JSON.stringify(this.fields));
    this.isTooLarge = this.bytes > MAX_RECORD_BYTES;
    if (this.isTooLarge) {
      this.problems.push(problem('RECORD_TOO_LARGE', { max: MAX_RECORD_BYTES }));
    }
  }

  #refuse({ name }: RuledField, problem: Problem): void {
    this.problems.push(problem);
    if (this.#given.has(name)) this.inputProblems.push(problem);
  }
}
