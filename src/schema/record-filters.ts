import type { Place, PresentedFile } from '../resolvers/classes/values.ts';
import { builder } from './builder.ts';
import { LIST_OPERATORS } from './descriptions.ts';

// What the types of an application's own classes are made of (src/schema/typed).

builder.objectRef<Place>('GeoPoint').implement({
  description: 'A place on earth.',
  fields: (t) => ({
    lat: t.exposeFloat('lat', { description: 'Degrees, -90 to 90.' }),
    lon: t.exposeFloat('lon', { description: 'Degrees, -180 to 180.' }),
  }),
});

builder.objectRef<PresentedFile>('RecordFile').implement({
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

builder.inputType('FileFilter', {
  description: 'Asks for the id of a file; null: there is none.',
  fields: (t) => ({
    eq: t.id({ description: 'The file with this id; null finds records without one.' }),
    ne: t.id({ description: 'Any file but the one with this id; null finds records with one.' }),
  }),
});

builder.inputType('GeoPointListFilter', {
  description: 'Asks a field that holds several places.',
  fields: (t) => ({
    eq: t.field({ type: GeoPointInput, description: LIST_OPERATORS.eq }),
    all: t.field({ type: [GeoPointInput], description: LIST_OPERATORS.all }),
  }),
});
