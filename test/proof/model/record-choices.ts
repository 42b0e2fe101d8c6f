import { givenItem, givenMoment, lengthOf } from './record-forms.ts';
import type { ClassDeed, FieldChange, NewRecord, RecordModel, Update } from './record-model.ts';
import {
  type Asked,
  COMMON,
  DEEDS,
  type Deed,
  type Field,
  type FieldTest,
  type FieldType,
  type Item,
  type Operator,
  type Order,
  type Permission,
  type Place,
  type Value,
} from './record-words.ts';

/** Decisions from a list of numbers, then zeros, which choose the simplest option. */
export class Choice {
  readonly #numbers: number[];
  #next = 0;

  constructor(numbers: number[]) {
    this.#numbers = numbers;
  }

  below(count: number): number {
    return (this.#numbers[this.#next++] ?? 0) % count;
  }

  of<Thing>(things: readonly Thing[]): Thing {
    return things[this.below(things.length)]!;
  }

  /** True with probability 1/`count`. */
  oneIn(count: number): boolean {
    return this.below(count) === count - 1;
  }

  some<Thing>(things: readonly Thing[], most: number): Thing[] {
    return Array.from({ length: this.below(most + 1) }, () => this.of(things));
  }
}

const places = (...pairs: [number, number][]): Place[] => pairs.map(([lat, lon]) => ({ lat, lon }));

/** Few values, so that they repeat; no distance between two places equals a radius. */
const ITEMS: Record<FieldType, Item[]> = {
  Integer: [3, 0, -7, 10, 9_007_199_254_740_991],
  Float: [0.25, 0, -1.5, 10, 1e21, 1e-7],
  String: ['a', 'A', 'ab', '', 'Äb', 'äB', '10', '9', 'b%', 'b_x', 'bax', "o'n\\", '😀', '\uffff', ' in side '],
  Boolean: [true, false],
  Date: [
    1_700_000_000_000, 1_700_000_000_123, 1_700_000_000_999, -1, 86_400_000, -62_135_596_800_000, 253_402_300_799_999,
  ],
  Location: places([50.1, 8.7], [0, 0], [0, 0.001], [-90, 0], [90, 0], [0, 180], [0, -180], [51.5, -0.1]),
};

const RADII = [200, 1, 50, 700_000, 21_000_000];

/** Valid field names that have another meaning elsewhere. */
export const FIELD_NAMES = ['make', 'value', 'or', 'userId', 'createdAt', 'toString', 'eq', 'a9', 'lat', 'parent_id'];
export const FIELD_TYPES = Object.keys(ITEMS) as FieldType[];
export const GROUPS = ['red', 'blue', 'none'];

export function aPermission(choice: Choice, userIds: number[], isOfClass: boolean): Permission {
  switch (choice.below(isOfClass ? 9 : 8)) {
    case 2:
    case 3:
      return { access: 'owner' };
    case 4:
    case 5:
      return { access: 'open_for_users_ids', ids: [choice.of(userIds), ...choice.some(userIds, 1)] };
    case 6:
    case 7:
      return { access: 'open_for_groups', groups: [choice.of(GROUPS), ...choice.some(GROUPS, 1)] };
    case 8:
      return { access: 'not_allowed' };
    default:
      return { access: 'open' };
  }
}

export function classPermissions(choice: Choice, userIds: number[]): Partial<Record<ClassDeed, Permission>> {
  const deeds = (['create', ...DEEDS] as const).filter(() => choice.oneIn(3));
  return Object.fromEntries(deeds.map((deed) => [deed, aPermission(choice, userIds, true)]));
}

function permissions(choice: Choice, userIds: number[]): Partial<Record<Deed, Permission>> {
  const deeds = DEEDS.filter(() => choice.oneIn(3));
  return Object.fromEntries(deeds.map((deed) => [deed, aPermission(choice, userIds, false)]));
}

function aValue({ type, isArray }: Field, choice: Choice): Value {
  return isArray ? choice.some(ITEMS[type], 3) : choice.of(ITEMS[type]);
}

export function newRecord(model: RecordModel, choice: Choice, userIds: number[]): NewRecord {
  const fields = model.fields.map((field): [string, Value | null] => {
    const isUnset = choice.oneIn(field.isRequired ? 12 : 4);
    return [field.name, isUnset ? null : aValue(field, choice)];
  });
  return {
    fields: new Map(fields),
    permissions: permissions(choice, userIds),
    parentId: choice.oneIn(4) ? anId(model, choice) : null,
  };
}

export const UNKNOWN_ID = '0123456789abcdef01234567';

export function anId({ records, everyId }: RecordModel, choice: Choice): string {
  const among = choice.oneIn(4) ? everyId : records.map(({ id }) => id);
  return among.length === 0 ? UNKNOWN_ID : choice.of(among);
}

/** Applies one operator per field, because the order of operators on one field is unspecified. */
export function anUpdate({ fields }: RecordModel, choice: Choice, userIds: number[]): Update {
  const changed = fields.filter(() => choice.oneIn(3));
  return { changes: changed.map((field) => aChange(field, choice)), permissions: permissions(choice, userIds) };
}

function aChange(field: Field, choice: Choice): FieldChange {
  const { type, isArray } = field;
  const item = choice.of(ITEMS[type]);
  const isNumber = !isArray && (type === 'Integer' || type === 'Float');
  const isMisfit = choice.oneIn(40);
  if (isNumber !== isMisfit && choice.oneIn(2)) {
    return { operator: 'inc', field, value: isNumber ? choice.of([1, -3]) : item };
  }
  if (isArray === isMisfit) {
    return { operator: 'set', field, value: choice.oneIn(4) ? null : aValue(field, choice) };
  }
  switch (choice.below(7)) {
    case 0:
      return {
        operator: choice.of(['push', 'add_to_set', 'pull_all'] as const),
        field,
        value: choice.some(ITEMS[type], 2),
      };
    case 1:
      return { operator: 'push', field, value: [item] };
    case 2:
      return { operator: 'add_to_set', field, value: [item] };
    case 3: {
      const isOrdered = type !== 'Boolean' && type !== 'Location';
      const comparisons = [undefined, 'ne', ...(isOrdered ? (['lt', 'lte', 'gt', 'gte'] as const) : [])] as const;
      return { operator: 'pull', field, value: item, comparison: choice.of(comparisons) };
    }
    case 4:
      return { operator: 'pop', field, value: choice.of([1, -1] as const) };
    case 5:
      return { operator: 'set', field, value: choice.oneIn(4) ? null : aValue(field, choice) };
    default:
      return isMisfit
        ? { operator: 'pop', field, value: 1 }
        : { operator: 'replace', field, index: choice.below(4), value: item };
  }
}

const OPERATORS: Operator[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'or', 'all', 'ctn', 'near'];

const FITTING: Record<Asked['type'], Operator[]> = {
  Integer: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'or'],
  Float: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'or'],
  Date: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'or'],
  Moment: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'or'],
  Id: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'or'],
  User: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'or'],
  String: ['eq', 'ne', 'in', 'nin', 'or', 'ctn'],
  Boolean: ['eq', 'ne', 'in', 'nin', 'or'],
  Location: ['eq', 'near'],
};

export function aField(model: RecordModel, choice: Choice): Asked {
  return choice.oneIn(3) || model.fields.length === 0 ? choice.of(COMMON) : choice.of<Asked>(model.fields);
}

/** A test; `given` is the argument as the client sends it. */
export type GivenTest = FieldTest & { given: unknown };
export type GivenFilter = { all: GivenFilter[] } | { any: GivenFilter[] } | GivenTest;

export function aFilter(model: RecordModel, choice: Choice, userIds: number[], depth = 2): GivenFilter {
  const parts = (most: number) =>
    Array.from({ length: 1 + choice.below(most) }, () => aFilter(model, choice, userIds, depth - 1));
  if (depth === 0 || !choice.oneIn(2)) return aTest(model, choice, userIds);
  return choice.oneIn(2) ? { any: parts(3) } : { all: parts(3) };
}

export function aTest(model: RecordModel, choice: Choice, userIds: number[]): GivenTest {
  const asked = aField(model, choice);
  const { type, isArray } = asked;
  const fitting = isArray ? (['eq', 'ne', 'in', 'nin', 'or', 'all'] as const) : FITTING[type];
  const operator = choice.oneIn(40) ? choice.of(OPERATORS) : choice.of(fitting);
  const isPlace = type === 'Location';
  const test = (value: FieldTest['value'], given: unknown, lengths: number[] = []) => ({
    asked,
    operator: isPlace && operator === 'ne' ? ('eq' as const) : operator,
    value,
    given,
    lengths,
  });
  if (operator === 'near') {
    const { lat, lon } = choice.of(ITEMS.Location) as Place;
    const metres = choice.of(RADII);
    const given = choice.of<unknown>([`${lat},${lon};${metres}`, { lat, lon, radius: metres }]);
    return test({ lat, lon, metres }, given);
  }
  if ((operator === 'eq' || operator === 'ne') && choice.oneIn(5)) return test(null, null);
  const isList = ['in', 'nin', 'or', 'all'].includes(operator);
  // An empty list of times matches anything, and changes by criteria require a condition.
  const fewest = type === 'Date' || type === 'Moment' || !isList ? 1 : 0;
  const items = Array.from({ length: fewest + (isList ? choice.below(3) : 0) }, () =>
    anItem(model, asked, choice, userIds),
  );
  const givens = items.map((item) => givenOf(type, item, choice));
  return isList ? test(items, givens, givens.map(lengthOf)) : test(items[0]!, givens[0], givens.map(lengthOf));
}

function anItem(model: RecordModel, { name, type }: Asked, choice: Choice, userIds: number[]): Item {
  if (type === 'Id') return choice.oneIn(3) ? choice.of(['', 'x', '5', '65']) : anId(model, choice);
  if (type === 'User') return choice.of([...userIds, 0, -1]);
  if (type !== 'Moment') return choice.of(ITEMS[type]);
  if (model.records.length === 0) return model.now;
  const { createdAt, updatedAt } = choice.of(model.records);
  const at = name === 'created_at' ? createdAt : updatedAt;
  return choice.of([at, at - (at % 1000), at + 1, at - 1]);
}

function givenOf(type: Asked['type'], item: Item, choice: Choice): never {
  if (type === 'Id') return item as never;
  if (type === 'User') return choice.of([item, String(item)]) as never;
  if (type === 'Moment') return givenMoment(item as number, choice) as never;
  return givenItem(type, item, choice) as never;
}

export function anOrder(model: RecordModel, choice: Choice): Order | undefined {
  if (choice.oneIn(5)) return undefined;
  const sortable = [...model.fields, ...COMMON].filter(({ type, isArray }) => type !== 'Location' && !isArray);
  const asked = choice.oneIn(40) ? aField(model, choice) : choice.of<Asked>(sortable);
  return { asked, isDescending: choice.oneIn(2) };
}
