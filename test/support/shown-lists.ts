import { expect } from 'vitest';
import { rest } from './rest.ts';
import type { Caller } from './users.ts';

// A list is checked against its own items: whatever a filter or an order says has to agree with what the records show.

// biome-ignore lint/suspicious/noExplicitAny: items are of every shape
export type Shown = { _id: string } & Record<string, any>;

export type Kind = 'id' | 'number' | 'text' | 'moment' | 'texts' | 'numbers';

/** A field that a list is filtered by, and what a record shows of it. */
export interface ShownField {
  kind: Kind;
  of: (item: Shown) => unknown;
  /** Values that are written into filters, beside those of the items. */
  others: string[];
}

type Value = number | string | null;

const single = (value: unknown): Value => value as Value;
const all = (value: unknown): Value[] => (Array.isArray(value) ? value : [value as Value]);
const isArray = (kind: Kind) => kind === 'texts' || kind === 'numbers';

/** Operator → whether a shown value matches what is asked for. */
const OPERATORS: Record<string, (shown: unknown, asked: Value[], kind: Kind) => boolean> = {
  '': (shown, [one]) => (one === null ? all(shown).length === 0 || shown === null : all(shown).includes(one!)),
  ne: (shown, [one]) => (one === null ? all(shown).length > 0 && shown !== null : !all(shown).includes(one!)),
  lt: (shown, [one]) => shown !== null && single(shown)! < one!,
  lte: (shown, [one]) => shown !== null && single(shown)! <= one!,
  gt: (shown, [one]) => shown !== null && single(shown)! > one!,
  gte: (shown, [one]) => shown !== null && single(shown)! >= one!,
  in: (shown, asked) => all(shown).some((one) => one !== null && asked.includes(one)),
  nin: (shown, asked) => !all(shown).some((one) => one !== null && asked.includes(one)),
  or: (shown, asked) => all(shown).some((one) => one !== null && asked.includes(one)),
  all: (shown, asked) => asked.every((one) => all(shown).includes(one)),
  ctn: (shown, [one]) => shown !== null && String(shown).toLowerCase().includes(String(one).toLowerCase()),
};

/** Whether an operator is one of those that the kind takes (gaps §1.5). */
export function fitsKind(operator: string, kind: Kind): boolean {
  if (['lt', 'lte', 'gt', 'gte'].includes(operator)) return ['id', 'number', 'moment'].includes(kind);
  if (operator === 'all') return isArray(kind);
  if (operator === 'ctn') return kind === 'text';
  return operator !== 'near';
}

export const ALL_OPERATORS = [...Object.keys(OPERATORS), 'near', 'unknown'];

/** Queries of one field and operator, for some of the values that are shown and some others, with the ids to be found. */
export function queriesOf(
  items: Shown[],
  name: string,
  { kind, of, others }: ShownField,
  operator: string,
): [query: string, ids: string[]][] {
  const shown = items.flatMap((item) => all(of(item))).filter((value) => value !== null);
  const known = [...new Set(shown.map(String))];
  const values = [...new Set([known[0], known[1], known.at(-1)].filter((one) => one !== undefined)), ...others];
  const isList = ['in', 'nin', 'or', 'all'].includes(operator);
  const asked = isList ? [[], values.slice(0, 1), values.slice(0, 2), values.slice(-2)] : values.map((one) => [one]);
  if (operator === '' || operator === 'ne') asked.push(['null']);
  const key = operator === '' ? name : `${name}[${operator}]`;
  return asked.map((texts) => {
    const typed = texts.map((text) => (text === 'null' ? null : castTo(kind, text)));
    const ids = items.filter((item) => OPERATORS[operator]!(of(item), typed, kind)).map(({ _id }) => _id);
    return [`${encodeURIComponent(key)}=${encodeURIComponent(texts.join(','))}`, ids];
  });
}

/** The items in an order: unset values last, ties by `_id` in the same direction. */
export function sorted(items: Shown[], of: (item: Shown) => unknown, isDescending: boolean): string[] {
  const sign = isDescending ? -1 : 1;
  const compare = (a: Value, b: Value) => (a! < b! ? -sign : a! > b! ? sign : 0);
  return items
    .toSorted((a, b) => {
      const [left, right] = [single(of(a)), single(of(b))];
      if ((left === null) !== (right === null)) return left === null ? 1 : -1;
      return (left === null ? 0 : compare(left, right)) || compare(a._id, b._id);
    })
    .map(({ _id }) => _id);
}

/** Ids that a list answers, and its number of all. */
export async function listed(path: string, query: string, as: Caller): Promise<{ ids: string[]; count: number }> {
  const [page, counted] = await Promise.all([
    rest('GET', `${path}${query}`, { as }),
    rest('GET', `${path}${query}&count=1`, { as }),
  ]);
  if (page.status !== 200) throw new Error(`${query}: ${page.status} ${page.text}`);
  expect(Object.keys(counted.body)).toEqual(['items']);
  return { ids: page.body.items.map(({ _id }: Shown) => _id), count: counted.body.items.count };
}

function castTo(kind: Kind, text: string): Value {
  return kind === 'number' || kind === 'numbers' ? Number(text) : text;
}
