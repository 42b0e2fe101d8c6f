import type { GeoPoint, PresentedFile } from '../resolvers/classes/values.ts';
import { builder } from './builder.ts';
import { LIST_OPERATORS } from './descriptions.ts';

builder.objectRef<GeoPoint>('GeoPoint').implement({
  description: 'A position on earth.',
  fields: (t) => ({
    lat: t.exposeFloat('lat', { description: 'Latitude in degrees, -90 to 90.' }),
    lon: t.exposeFloat('lon', { description: 'Longitude in degrees, -180 to 180.' }),
  }),
});

builder.objectRef<PresentedFile>('RecordFile').implement({
  description: 'Metadata of a file in a record. Get the download URL from `recordFile`.',
  fields: (t) => ({
    fileId: t.exposeID('fileId', { description: 'Id of the file. Each upload creates a new id.' }),
    name: t.exposeString('name', { description: 'File name for downloads.' }),
    size: t.exposeInt('size', { description: 'Size in bytes.' }),
    contentType: t.exposeString('contentType', { description: 'Media type given by the uploader. Not verified.' }),
  }),
});

const GeoPointInput = builder.inputType('GeoPointInput', {
  description: 'A position on earth.',
  fields: (t) => ({
    lat: t.float({ required: true, description: 'Latitude in degrees, -90 to 90.' }),
    lon: t.float({ required: true, description: 'Longitude in degrees, -180 to 180.' }),
  }),
});

const NearInput = builder.inputType('NearInput', {
  description: 'A circle on earth.',
  fields: (t) => ({
    lat: t.float({ required: true, description: 'Latitude of the center in degrees, -90 to 90.' }),
    lon: t.float({ required: true, description: 'Longitude of the center in degrees, -180 to 180.' }),
    radius: t.float({ required: true, description: 'Radius in meters, 0 or more.' }),
  }),
});

builder.inputType('GeoPointFilter', {
  description: 'Compares a location.',
  fields: (t) => ({
    eq: t.field({ type: GeoPointInput, description: 'Equal to this position; null matches unset values.' }),
    near: t.field({ type: NearInput, description: 'Inside this circle.' }),
  }),
});

builder.inputType('FileFilter', {
  description: 'Compares the id of a file.',
  fields: (t) => ({
    eq: t.id({ description: 'Equal to this file id; null matches records without a file.' }),
    ne: t.id({ description: 'Not equal to this file id, or without a file; null matches records with a file.' }),
  }),
});

builder.inputType('GeoPointListFilter', {
  description: 'Compares a list of locations.',
  fields: (t) => ({
    eq: t.field({ type: GeoPointInput, description: LIST_OPERATORS.eq }),
    all: t.field({ type: [GeoPointInput], description: LIST_OPERATORS.all }),
  }),
});
