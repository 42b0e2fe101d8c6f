import { builder } from './builder.ts';
import { OPERATORS } from './descriptions.ts';

/** Inputs that ask one field of a list; what is given is AND-ed. `null` for `eq` matches what is unset. */
export const IdFilter = builder.inputType('IdFilter', {
  description: 'Asks for ids, which sort by the time at which they were given.',
  fields: (t) => ({
    eq: t.id({ description: OPERATORS.eq }),
    ne: t.id({ description: OPERATORS.ne }),
    lt: t.id({ description: OPERATORS.lt }),
    lte: t.id({ description: OPERATORS.lte }),
    gt: t.id({ description: OPERATORS.gt }),
    gte: t.id({ description: OPERATORS.gte }),
    in: t.idList({ description: OPERATORS.in }),
    notIn: t.idList({ description: OPERATORS.notIn }),
  }),
});

export const IntFilter = builder.inputType('IntFilter', {
  description: 'Asks a field that holds a whole number.',
  fields: (t) => ({
    eq: t.int({ description: OPERATORS.eq }),
    ne: t.int({ description: OPERATORS.ne }),
    lt: t.int({ description: OPERATORS.lt }),
    lte: t.int({ description: OPERATORS.lte }),
    gt: t.int({ description: OPERATORS.gt }),
    gte: t.int({ description: OPERATORS.gte }),
    in: t.intList({ description: OPERATORS.in }),
    notIn: t.intList({ description: OPERATORS.notIn }),
  }),
});

export const SafeIntFilter = builder.inputType('SafeIntFilter', {
  description: 'Whole numbers up to ±(2^53 − 1).',
  fields: (t) => ({
    eq: t.field({ type: 'SafeInt', description: OPERATORS.eq }),
    ne: t.field({ type: 'SafeInt', description: OPERATORS.ne }),
    lt: t.field({ type: 'SafeInt', description: OPERATORS.lt }),
    lte: t.field({ type: 'SafeInt', description: OPERATORS.lte }),
    gt: t.field({ type: 'SafeInt', description: OPERATORS.gt }),
    gte: t.field({ type: 'SafeInt', description: OPERATORS.gte }),
    in: t.field({ type: ['SafeInt'], description: OPERATORS.in }),
    notIn: t.field({ type: ['SafeInt'], description: OPERATORS.notIn }),
  }),
});

export const DigitsFilter = builder.inputType('DigitsFilter', {
  description: 'Compares ids that are texts of digits as the numbers they are.',
  fields: (t) => ({
    eq: t.field({ type: 'Digits', description: OPERATORS.eq }),
    ne: t.field({ type: 'Digits', description: OPERATORS.ne }),
    lt: t.field({ type: 'Digits', description: OPERATORS.lt }),
    lte: t.field({ type: 'Digits', description: OPERATORS.lte }),
    gt: t.field({ type: 'Digits', description: OPERATORS.gt }),
    gte: t.field({ type: 'Digits', description: OPERATORS.gte }),
    in: t.field({ type: ['Digits'], description: OPERATORS.in }),
    notIn: t.field({ type: ['Digits'], description: OPERATORS.notIn }),
  }),
});

export const UnixTimeFilter = builder.inputType('UnixTimeFilter', {
  description: 'Unix seconds, with fractions if need be.',
  fields: (t) => ({
    eq: t.float({ description: OPERATORS.eq }),
    ne: t.float({ description: OPERATORS.ne }),
    lt: t.float({ description: OPERATORS.lt }),
    lte: t.float({ description: OPERATORS.lte }),
    gt: t.float({ description: OPERATORS.gt }),
    gte: t.float({ description: OPERATORS.gte }),
    in: t.floatList({ description: OPERATORS.in }),
    notIn: t.floatList({ description: OPERATORS.notIn }),
  }),
});

export const StringFilter = builder.inputType('StringFilter', {
  description: 'Asks a field that holds a text.',
  fields: (t) => ({
    eq: t.string({ description: OPERATORS.eq }),
    ne: t.string({ description: OPERATORS.ne }),
    in: t.stringList({ description: OPERATORS.in }),
    notIn: t.stringList({ description: OPERATORS.notIn }),
    contains: t.string({ description: 'Part of the text, at most 256 characters, letter case ignored.' }),
  }),
});

export const DateTimeFilter = builder.inputType('DateTimeFilter', {
  description: 'Asks a field that holds a moment.',
  fields: (t) => ({
    eq: t.field({ type: 'DateTime', description: OPERATORS.eq }),
    ne: t.field({ type: 'DateTime', description: OPERATORS.ne }),
    lt: t.field({ type: 'DateTime', description: OPERATORS.lt }),
    lte: t.field({ type: 'DateTime', description: OPERATORS.lte }),
    gt: t.field({ type: 'DateTime', description: OPERATORS.gt }),
    gte: t.field({ type: 'DateTime', description: OPERATORS.gte }),
    in: t.field({ type: ['DateTime'], description: OPERATORS.in }),
    notIn: t.field({ type: ['DateTime'], description: OPERATORS.notIn }),
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
