import type { TypedClass } from './class-types.ts';

export type Values = Record<string, unknown>;

export function classNamesOf({ fieldNames }: TypedClass): (typed: string) => string {
  const names = new Map([...fieldNames].map(([name, typed]) => [typed, name]));
  return (typed) => names.get(typed) ?? typed;
}

export function renamed(values: Values | null | undefined, nameOf: (typed: string) => string): Values | undefined {
  if (values == null) return undefined;
  return Object.fromEntries(Object.entries(values).map(([typed, value]) => [nameOf(typed), value]));
}

/** Update operators ignore null. */
export function withoutNulls(values: Values | null | undefined): Values | undefined {
  if (values == null) return undefined;
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** The target names cannot be names of class fields. */
const COMMON = new Map([
  ['id', '_id'],
  ['parentId', '_parent_id'],
  ['userId', 'user_id'],
  ['createdAt', 'created_at'],
  ['updatedAt', 'updated_at'],
]);

export function genericFilter(where: unknown, nameOf: (typed: string) => string): Values | undefined {
  if (where == null) return undefined;
  return Object.fromEntries(
    Object.entries(where as Values).flatMap(([typed, condition]): [string, unknown][] => {
      if (condition === null || condition === undefined) return [];
      if (typed === 'or' || typed === 'and')
        return [[typed, (condition as Values[]).map((part) => genericFilter(part, nameOf))]];
      return [[COMMON.get(typed) ?? nameOf(typed), operatorsOf(condition as Values)]];
    }),
  );
}

/** Null stands for unset values in `eq` and `ne`. */
function operatorsOf(condition: Values): Values {
  return Object.fromEntries(
    Object.entries(condition).filter(([operator, value]) => value !== null || operator === 'eq' || operator === 'ne'),
  );
}
