import type { Place, ShownFile } from '../resolvers/classes/values.ts';
import { builder } from './builder.ts';
import { LIST_OPERATORS, OPERATORS } from './descriptions.ts';

// What the types of an application's own classes are made of (src/schema/typed).

builder.objectRef<Place>('GeoPoint').implement({
  description: 'A place on earth.',
  fields: (t) => ({
    lat: t.exposeFloat('lat', { description: 'Degrees, -90 to 90.' }),
    lon: t.exposeFloat('lon', { description: 'Degrees, -180 to 180.' }),
  }),
});

builder.objectRef<ShownFile>('RecordFile').implement({
  description: 'A file that a record holds; loaded over REST, or from the address in `recordFile`.',
  fields: (t) => ({
    fileId: t.exposeID('fileId', {
      description: 'Changes with each upload, so that it tells whether the file is another.',
    }),
    name: t.exposeString('name', { description: 'What it is saved as.' }),
    size: t.exposeInt('size', { description: 'How many bytes it has.' }),
    contentType: t.exposeString('contentType', { description: 'As its uploader says; not to be trusted.' }),
  }),
});

const GeoPointInput = builder.inputType('GeoPointInput', {
  description: 'A place on earth.',
  fields: (t) => ({
    lat: t.float({ required: true, description: 'Degrees, -90 to 90.' }),
    lon: t.float({ required: true, description: 'Degrees, -180 to 180.' }),
  }),
});

const NearInput = builder.inputType('NearInput', {
  description: 'A circle on earth.',
  fields: (t) => ({
    lat: t.float({ required: true, description: 'Of its middle: degrees, -90 to 90.' }),
    lon: t.float({ required: true, description: 'Of its middle: degrees, -180 to 180.' }),
    radius: t.float({ required: true, description: 'How far from there, in metres.' }),
  }),
});

builder.inputType('GeoPointFilter', {
  description: 'Asks a field that holds a place.',
  fields: (t) => ({
    eq: t.field({ type: GeoPointInput, description: 'Null: unset.' }),
    near: t.field({ type: NearInput, description: 'Within a distance of a place.' }),
  }),
});

builder.inputType('FloatFilter', {
  description: 'Asks a field that holds a number.',
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

builder.inputType('BooleanFilter', {
  description: 'Asks a field that is true, false or unset.',
  fields: (t) => ({
    eq: t.boolean({ description: OPERATORS.eq }),
    ne: t.boolean({ description: OPERATORS.ne }),
    in: t.booleanList({ description: OPERATORS.in }),
    notIn: t.booleanList({ description: OPERATORS.notIn }),
  }),
});

builder.inputType('FileFilter', {
  description: 'Asks for the id of a file; null: there is none.',
  fields: (t) => ({
    eq: t.id({ description: 'The file with this id; null finds records without one.' }),
    ne: t.id({ description: 'Any file but the one with this id; null finds records with one.' }),
  }),
});

const OF_LISTS = { eq: 'Holds it.', ne: 'Does not hold it.', all: 'Holds every one of them.' };

builder.inputType('SafeIntListFilter', {
  description: 'Asks a field that holds several whole numbers.',
  fields: (t) => ({
    eq: t.field({ type: 'SafeInt', description: OF_LISTS.eq }),
    ne: t.field({ type: 'SafeInt', description: OF_LISTS.ne }),
    in: t.field({ type: ['SafeInt'], description: LIST_OPERATORS.in }),
    notIn: t.field({ type: ['SafeInt'], description: LIST_OPERATORS.notIn }),
    all: t.field({ type: ['SafeInt'], description: OF_LISTS.all }),
  }),
});

builder.inputType('FloatListFilter', {
  description: 'Asks a field that holds several numbers.',
  fields: (t) => ({
    eq: t.float({ description: OF_LISTS.eq }),
    ne: t.float({ description: OF_LISTS.ne }),
    in: t.floatList({ description: LIST_OPERATORS.in }),
    notIn: t.floatList({ description: LIST_OPERATORS.notIn }),
    all: t.floatList({ description: OF_LISTS.all }),
  }),
});

builder.inputType('BooleanListFilter', {
  description: 'Asks a field that holds several booleans.',
  fields: (t) => ({
    eq: t.boolean({ description: OF_LISTS.eq }),
    ne: t.boolean({ description: OF_LISTS.ne }),
    in: t.booleanList({ description: LIST_OPERATORS.in }),
    notIn: t.booleanList({ description: LIST_OPERATORS.notIn }),
    all: t.booleanList({ description: OF_LISTS.all }),
  }),
});

builder.inputType('DateTimeListFilter', {
  description: 'Asks a field that holds several moments.',
  fields: (t) => ({
    eq: t.field({ type: 'DateTime', description: OF_LISTS.eq }),
    ne: t.field({ type: 'DateTime', description: OF_LISTS.ne }),
    in: t.field({ type: ['DateTime'], description: LIST_OPERATORS.in }),
    notIn: t.field({ type: ['DateTime'], description: LIST_OPERATORS.notIn }),
    all: t.field({ type: ['DateTime'], description: OF_LISTS.all }),
  }),
});

builder.inputType('GeoPointListFilter', {
  description: 'Asks a field that holds several places.',
  fields: (t) => ({
    eq: t.field({ type: GeoPointInput, description: OF_LISTS.eq }),
    all: t.field({ type: [GeoPointInput], description: OF_LISTS.all }),
  }),
});
