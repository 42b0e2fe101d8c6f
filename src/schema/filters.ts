import { builder } from './builder.ts';
import { LIST_OPERATORS, OPERATORS } from './descriptions.ts';

type Scalars = (typeof builder)['$inferSchemaTypes']['Scalars'];

const LIST_OPERANDS = ['in', 'notIn', 'all'] as const;

/** The conditions on one field, which all have to match. */
type Comparison<Value, Operator extends string> = {
  [Key in Operator]?: (Key extends (typeof LIST_OPERANDS)[number] ? Value[] : Value) | null;
};

const { eq, ne, in: among, notIn } = OPERATORS;
const EQUALITY = { eq, ne, in: among, notIn };

export const IdFilter = comparison(
  'IdFilter',
  'Asks for ids, which sort by the time at which they were given.',
  'ID',
  OPERATORS,
);
export const IntFilter = comparison('IntFilter', 'Asks a field that holds a whole number.', 'Int', OPERATORS);
export const SafeIntFilter = comparison('SafeIntFilter', 'Whole numbers up to ±(2^53 − 1).', 'SafeInt', OPERATORS);
export const DigitsFilter = comparison(
  'DigitsFilter',
  'Compares ids that are texts of digits as the numbers they are.',
  'Digits',
  OPERATORS,
);
export const UnixTimeFilter = comparison(
  'UnixTimeFilter',
  'Unix seconds, with fractions if need be.',
  'Float',
  OPERATORS,
);
export const DateTimeFilter = comparison('DateTimeFilter', 'Asks a field that holds a moment.', 'DateTime', OPERATORS);
export const StringFilter = comparison('StringFilter', 'Asks a field that holds a text.', 'String', {
  ...EQUALITY,
  contains: 'Part of the text, at most 256 characters, letter case ignored.',
});
comparison('FloatFilter', 'Asks a field that holds a number.', 'Float', OPERATORS);
comparison('BooleanFilter', 'Asks a field that is true, false or unset.', 'Boolean', EQUALITY);

export const IntListFilter = comparison(
  'IntListFilter',
  'Asks a field that holds several numbers.',
  'Int',
  LIST_OPERATORS,
);
export const StringListFilter = comparison(
  'StringListFilter',
  'Asks a field that holds several texts.',
  'String',
  LIST_OPERATORS,
);
comparison('SafeIntListFilter', 'Asks a field that holds several whole numbers.', 'SafeInt', LIST_OPERATORS);
comparison('FloatListFilter', 'Asks a field that holds several numbers.', 'Float', LIST_OPERATORS);
comparison('BooleanListFilter', 'Asks a field that holds several booleans.', 'Boolean', LIST_OPERATORS);
comparison('DateTimeListFilter', 'Asks a field that holds several moments.', 'DateTime', LIST_OPERATORS);

/** @param operators descriptions by operator */
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
