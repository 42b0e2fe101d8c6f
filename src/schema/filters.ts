import { builder } from './builder.ts';

/** Inputs that ask one field of a list; what is given is AND-ed. `null` for `eq` matches what is unset. */
export const IdFilter = builder.inputType('IdFilter', {
  fields: (t) => ({
    eq: t.id(),
    ne: t.id(),
    lt: t.id(),
    lte: t.id(),
    gt: t.id(),
    gte: t.id(),
    in: t.idList(),
    notIn: t.idList(),
  }),
});

export const IntFilter = builder.inputType('IntFilter', {
  fields: (t) => ({
    eq: t.int(),
    ne: t.int(),
    lt: t.int(),
    lte: t.int(),
    gt: t.int(),
    gte: t.int(),
    in: t.intList(),
    notIn: t.intList(),
  }),
});

export const SafeIntFilter = builder.inputType('SafeIntFilter', {
  description: 'Whole numbers up to ±(2^53 − 1).',
  fields: (t) => ({
    eq: t.field({ type: 'SafeInt' }),
    ne: t.field({ type: 'SafeInt' }),
    lt: t.field({ type: 'SafeInt' }),
    lte: t.field({ type: 'SafeInt' }),
    gt: t.field({ type: 'SafeInt' }),
    gte: t.field({ type: 'SafeInt' }),
    in: t.field({ type: ['SafeInt'] }),
    notIn: t.field({ type: ['SafeInt'] }),
  }),
});

export const DigitsFilter = builder.inputType('DigitsFilter', {
  description: 'Compares ids that are texts of digits as the numbers they are.',
  fields: (t) => ({
    eq: t.field({ type: 'Digits' }),
    ne: t.field({ type: 'Digits' }),
    lt: t.field({ type: 'Digits' }),
    lte: t.field({ type: 'Digits' }),
    gt: t.field({ type: 'Digits' }),
    gte: t.field({ type: 'Digits' }),
    in: t.field({ type: ['Digits'] }),
    notIn: t.field({ type: ['Digits'] }),
  }),
});

export const UnixTimeFilter = builder.inputType('UnixTimeFilter', {
  description: 'Unix seconds, with fractions if need be.',
  fields: (t) => ({
    eq: t.float(),
    ne: t.float(),
    lt: t.float(),
    lte: t.float(),
    gt: t.float(),
    gte: t.float(),
    in: t.floatList(),
    notIn: t.floatList(),
  }),
});

export const StringFilter = builder.inputType('StringFilter', {
  fields: (t) => ({
    eq: t.string(),
    ne: t.string(),
    in: t.stringList(),
    notIn: t.stringList(),
    contains: t.string({ description: 'Part of the text, letter case ignored.' }),
  }),
});

export const DateTimeFilter = builder.inputType('DateTimeFilter', {
  fields: (t) => ({
    eq: t.field({ type: 'DateTime' }),
    ne: t.field({ type: 'DateTime' }),
    lt: t.field({ type: 'DateTime' }),
    lte: t.field({ type: 'DateTime' }),
    gt: t.field({ type: 'DateTime' }),
    gte: t.field({ type: 'DateTime' }),
    in: t.field({ type: ['DateTime'] }),
    notIn: t.field({ type: ['DateTime'] }),
  }),
});

export const IntListFilter = builder.inputType('IntListFilter', {
  description: 'Asks a field that holds several numbers.',
  fields: (t) => ({
    eq: t.int({ description: 'Holds it.' }),
    ne: t.int({ description: 'Does not hold it.' }),
    in: t.intList({ description: 'Holds any of them.' }),
    notIn: t.intList({ description: 'Holds none of them.' }),
    all: t.intList({ description: 'Holds every one of them.' }),
  }),
});

export const StringListFilter = builder.inputType('StringListFilter', {
  description: 'Asks a field that holds several texts.',
  fields: (t) => ({
    eq: t.string({ description: 'Holds it.' }),
    ne: t.string({ description: 'Does not hold it.' }),
    in: t.stringList({ description: 'Holds any of them.' }),
    notIn: t.stringList({ description: 'Holds none of them.' }),
    all: t.stringList({ description: 'Holds every one of them.' }),
  }),
});
