import { UnprocessableError } from '../../lib/errors.ts';
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

const MAX_FIELDS = 200;

const TOO_MANY_INDEXES =
  `Too many indexed fields (maximum is ${SLOTS.number.length} numbers, dates and booleans, ${SLOTS.text.length} ` +
  `strings and ${SLOTS.place.length} locations)`;

/** @param isEmpty the class has no records to index @throws {UnprocessableError} with all messages that apply */
export function changedFields(
  known: ReadonlyMap<string, StoredField>,
  inputs: FieldInput[],
  { isEmpty }: { isEmpty: boolean },
): FieldChange[] {
  const problems: string[] = [];
  const names = new Set([...known.keys(), ...inputs.map(({ name }) => name)]);
  if (names.size > MAX_FIELDS) problems.push(`Too many fields (maximum is ${MAX_FIELDS})`);
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
  if (problems.length > 0) throw new UnprocessableError(...new Set(problems));
  return [...changes.values()];
}

function problemsOf({ name, type, array, unique, index }: FieldInput, current: StoredField | undefined): string[] {
  if (!isClassName(name)) return ['Name is invalid'];
  const isArray = array ?? current?.isArray ?? false;
  if (current && (current.type !== type || current.isArray !== isArray)) {
    return [`Field ${name} already has another type`];
  }
  if (type === 'File' && isArray) return [`Field ${name} has an unknown type`];
  const hasKey = type !== 'File' && type !== 'Location' && !isArray;
  return [
    ...(unique && !hasKey ? [`Field ${name} can't be unique`] : []),
    ...(index && type === 'File' ? [`Field ${name} can't be indexed`] : []),
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
