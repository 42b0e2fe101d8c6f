import { builder, type JsonInput } from './builder.ts';
import { AND, DIRECTION, LIST_OPERATORS, OPERATORS, OR, SORT_FIELD } from './descriptions.ts';
import { SortDirection } from './scalars.ts';

type Types = (typeof builder)['$inferSchemaTypes'];
type Scalars = Types['Scalars'];

const LIST_OPERANDS = ['in', 'notIn', 'all'] as const;

type Comparison<Value, Operator extends string> = {
  [Key in Operator]?: (Key extends (typeof LIST_OPERANDS)[number] ? Value[] : Value) | null;
};

const { eq, ne, in: among, notIn } = OPERATORS;
const EQUALITY = { eq, ne, in: among, notIn };

export const IdFilter = comparison('IdFilter', 'Compares an id. Ids sort by creation time.', 'ID', OPERATORS);
export const IntFilter = comparison('IntFilter', 'Compares a 32-bit integer.', 'Int', OPERATORS);
export const SafeIntFilter = comparison(
  'SafeIntFilter',
  'Compares a whole number up to ±(2^53 − 1).',
  'SafeInt',
  OPERATORS,
);
export const DigitsFilter = comparison(
  'DigitsFilter',
  'Compares a numeric id that is transferred as a string of digits. Comparison is numeric.',
  'Digits',
  OPERATORS,
);
export const UnixTimeFilter = comparison(
  'UnixTimeFilter',
  'Compares a time in Unix seconds. A whole number matches any time within that second.',
  'Float',
  OPERATORS,
);
export const DateTimeFilter = comparison(
  'DateTimeFilter',
  'Compares a time with millisecond precision.',
  'DateTime',
  OPERATORS,
);
export const StringFilter = comparison('StringFilter', 'Compares a text.', 'String', {
  ...EQUALITY,
  contains: 'Contains this text, ignoring letter case; at most 256 characters.',
});
comparison('FloatFilter', 'Compares a number.', 'Float', OPERATORS);
comparison('BooleanFilter', 'Compares a boolean, which may be unset.', 'Boolean', EQUALITY);

export const IntListFilter = comparison('IntListFilter', 'Compares a list of 32-bit integers.', 'Int', LIST_OPERATORS);
export const StringListFilter = comparison('StringListFilter', 'Compares a list of texts.', 'String', LIST_OPERATORS);
comparison('SafeIntListFilter', 'Compares a list of whole numbers up to ±(2^53 − 1).', 'SafeInt', LIST_OPERATORS);
comparison('FloatListFilter', 'Compares a list of numbers.', 'Float', LIST_OPERATORS);
comparison('BooleanListFilter', 'Compares a list of booleans.', 'Boolean', LIST_OPERATORS);
comparison('DateTimeListFilter', 'Compares a list of times.', 'DateTime', LIST_OPERATORS);

type Comparable = { $inferInput: unknown } | 'JSON';
type InputOf<Type> = Type extends { $inferInput: infer Input } ? Input : JsonInput;
type Compared = Record<string, readonly [type: Comparable, description: string]>;
type Conditions<Fields extends Compared> = { [Name in keyof Fields]?: InputOf<Fields[Name][0]> | null } & {
  or?: Conditions<Fields>[] | null;
  and?: Conditions<Fields>[] | null;
};

/** @param item what is filtered, as a word of its description @param fields what may be compared */
export function conditions<const Fields extends Compared>(name: string, item: string, fields: Fields) {
  const filter = builder.inputRef<Conditions<Fields>>(name);
  return filter.implement({
    description:
      `Conditions on ${item}s. A ${item} must match all given fields, every entry of \`and\`, and at least one entry of ` +
      '`or`.',
    fields: (t) => {
      const compared = Object.entries(fields).map(([field, [type, description]]) => [
        field,
        t.field({ type: type as typeof IdFilter, description }),
      ]);
      const joined = {
        or: t.field({ type: [filter], description: OR }),
        and: t.field({ type: [filter], description: AND }),
      };
      return { ...Object.fromEntries(compared), ...joined } as never;
    },
  });
}

/** @param field an enum of what can be sorted by */
export function orderInput<Field>(name: string, description: string, field: PothosSchemaTypes.EnumRef<Types, Field>) {
  return builder.inputType(name, {
    description,
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: SORT_FIELD }),
      direction: t.field({ type: SortDirection, required: true, description: DIRECTION }),
    }),
  });
}

function comparison<Type extends keyof Scalars & string, Operator extends string>(
  name: string,
  description: string,
  type: Type,
  operators: Record<Operator, string>,
) {
  return builder.inputRef<Comparison<Scalars[Type]['Input'], Operator>, false>(name).implement({
    description,
    fields: (t) =>
      Object.fromEntries(
        Object.entries<string>(operators).map(([operator, description]) => [
          operator,
          t.field({ type: LIST_OPERANDS.some((key) => key === operator) ? [type] : type, description }),
        ]),
      ) as never,
  });
}
