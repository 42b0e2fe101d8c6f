import { UnprocessableError } from '../../lib/errors.ts';
import { distinct, type Problem, problem } from '../../lib/problems.ts';
import type { StoredField } from './catalogue.ts';
import { isClassName } from './names.ts';
import { SLOTS, type Slot, slotKindOf } from './slots.ts';
import type { FieldType } from './values.ts';

/** Omitted options of an existing field are unchanged. */
export interface FieldInput {
  name: string;
  type: FieldType;
  array?: boolean | null;
  required?: boolean | null;
  unique?: boolean | null;
  index?: boolean | null;
}

export interface FieldChange {
  before: StoredField | undefined;
  after: StoredField;
}

export const MAX_FIELDS = 200;

const TOO_MANY_INDEXES = problem('TOO_MANY_INDEXED_FIELDS', {
  numbers: SLOTS.number.length,
  texts: SLOTS.text.length,
  locations: SLOTS.place.length,
});

/** @param isEmpty the class has no records to index @throws {UnprocessableError} with all messages that apply */
export function changedFields(
  known: ReadonlyMap<string, StoredField>,
  inputs: FieldInput[],
  { isEmpty }: { isEmpty: boolean },
): FieldChange[] {
  const problems: Problem[] = [];
  const names = new Set([...known.keys(), ...inputs.map(({ name }) => name)]);
  if (names.size > MAX_FIELDS) problems.push(problem('TOO_MANY_FIELDS', { max: MAX_FIELDS }));
  const changes = new Map<string, FieldChange>();
  const taken = new Set([...known.values()].flatMap(({ slot }) => slot ?? []));
  for (const input of inputs) {
    const before = known.get(input.name);
    const current = changes.get(input.name)?.after ?? before;
    const found = problemsOf(input, current);
    if (found.length > 0) {
      problems.push(...found);
      continue;
    }
    const after = indexed(withOptions(input, current), input.index, { taken, isEmpty });
    if (after) changes.set(input.name, { before, after });
    else problems.push(TOO_MANY_INDEXES);
  }
  if (problems.length > 0) throw new UnprocessableError(...distinct(problems));
  return [...changes.values()];
}

function problemsOf({ name, type, array, unique, index }: FieldInput, current: StoredField | undefined): Problem[] {
  if (!isClassName(name)) return ['NAME_INVALID'];
  const isArray = array ?? current?.isArray ?? false;
  if (current && (current.type !== type || current.isArray !== isArray)) {
    return [problem('FIELD_TYPE_FIXED', { field: name })];
  }
  if (type === 'File' && isArray) return [problem('FIELD_TYPE_UNKNOWN', { field: name })];
  const hasKey = type !== 'File' && type !== 'Location' && !isArray;
  return [
    ...(unique && !hasKey ? [problem('FIELD_NOT_UNIQUE_TYPE', { field: name })] : []),
    ...(index && type === 'File' ? [problem('FIELD_NOT_INDEXABLE', { field: name })] : []),
  ];
}

function withOptions(
  { name, type, array, required, unique }: FieldInput,
  current: StoredField | undefined,
): StoredField {
  return {
    name,
    type,
    isArray: array ?? current?.isArray ?? false,
    isRequired: required ?? current?.isRequired ?? false,
    isUnique: unique ?? current?.isUnique ?? false,
    slot: current?.slot ?? null,
    indexState: current?.indexState ?? 'none',
  };
}

/** Undefined if no slot is free. Arrays need none. */
function indexed(
  field: StoredField,
  index: boolean | null | undefined,
  { taken, isEmpty }: { taken: Set<Slot>; isEmpty: boolean },
): StoredField | undefined {
  if (index == null) return field;
  const kind = slotKindOf(field);
  if (!kind) return { ...field, indexState: index ? 'ready' : 'none' };
  if (!index) return field.slot === null ? field : { ...field, indexState: 'dropping' };
  if (field.indexState === 'building' || field.indexState === 'ready') return field;
  // Reuses a slot that is being cleared.
  const slot = field.slot ?? SLOTS[kind].find((free) => !taken.has(free));
  if (!slot) return undefined;
  taken.add(slot);
  return { ...field, slot, indexState: isEmpty ? 'ready' : 'building' };
}
