import type { Place, ShownFile } from '../lib/record-values.ts';
import { builder } from './builder.ts';

// What the types of an application's own classes are made of (src/schema/typed).

builder.objectRef<Place>('GeoPoint').implement({
  description: 'A place on earth.',
  fields: (t) => ({
    lat: t.exposeFloat('lat', { description: 'Degrees, -90 to 90.' }),
    lon: t.exposeFloat('lon', { description: 'Degrees, -180 to 180.' }),
  }),
});

builder.objectRef<ShownFile>('RecordFile').implement({
  description: 'A file in a field of a record.',
  fields: (t) => ({
    fileId: t.exposeID('fileId'),
    name: t.exposeString('name'),
    size: t.exposeInt('size', { description: 'Bytes.' }),
    contentType: t.exposeString('contentType', { description: 'As its uploader says; not to be trusted.' }),
  }),
});

const GeoPointInput = builder.inputType('GeoPointInput', {
  fields: (t) => ({
    lat: t.float({ required: true, description: 'Degrees, -90 to 90.' }),
    lon: t.float({ required: true, description: 'Degrees, -180 to 180.' }),
  }),
});

const NearInput = builder.inputType('NearInput', {
  fields: (t) => ({
    lat: t.float({ required: true }),
    lon: t.float({ required: true }),
    radius: t.float({ required: true, description: 'Metres.' }),
  }),
});

builder.inputType('GeoPointFilter', {
  fields: (t) => ({
    eq: t.field({ type: GeoPointInput, description: 'Null: unset.' }),
    near: t.field({ type: NearInput }),
  }),
});

builder.inputType('FloatFilter', {
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

builder.inputType('BooleanFilter', {
  fields: (t) => ({ eq: t.boolean(), ne: t.boolean(), in: t.booleanList(), notIn: t.booleanList() }),
});

builder.inputType('FileFilter', {
  description: 'Asks for the id of a file; null: there is none.',
  fields: (t) => ({ eq: t.id(), ne: t.id() }),
});

const OF_LISTS = { eq: 'Holds it.', ne: 'Does not hold it.', all: 'Holds every one of them.' };

builder.inputType('SafeIntListFilter', {
  fields: (t) => ({
    eq: t.field({ type: 'SafeInt', description: OF_LISTS.eq }),
    ne: t.field({ type: 'SafeInt', description: OF_LISTS.ne }),
    in: t.field({ type: ['SafeInt'] }),
    notIn: t.field({ type: ['SafeInt'] }),
    all: t.field({ type: ['SafeInt'], description: OF_LISTS.all }),
  }),
});

builder.inputType('FloatListFilter', {
  fields: (t) => ({
    eq: t.float({ description: OF_LISTS.eq }),
    ne: t.float({ description: OF_LISTS.ne }),
    in: t.floatList(),
    notIn: t.floatList(),
    all: t.floatList({ description: OF_LISTS.all }),
  }),
});

builder.inputType('BooleanListFilter', {
  fields: (t) => ({
    eq: t.boolean({ description: OF_LISTS.eq }),
    ne: t.boolean({ description: OF_LISTS.ne }),
    in: t.booleanList(),
    notIn: t.booleanList(),
    all: t.booleanList({ description: OF_LISTS.all }),
  }),
});

builder.inputType('DateTimeListFilter', {
  fields: (t) => ({
    eq: t.field({ type: 'DateTime', description: OF_LISTS.eq }),
    ne: t.field({ type: 'DateTime', description: OF_LISTS.ne }),
    in: t.field({ type: ['DateTime'] }),
    notIn: t.field({ type: ['DateTime'] }),
    all: t.field({ type: ['DateTime'], description: OF_LISTS.all }),
  }),
});

builder.inputType('GeoPointListFilter', {
  fields: (t) => ({
    eq: t.field({ type: GeoPointInput, description: OF_LISTS.eq }),
    all: t.field({ type: [GeoPointInput], description: OF_LISTS.all }),
  }),
});
