import type { ClassIndex } from '../resolvers/classes/catalogue.ts';
import { MAX_COMPOUND_BYTES } from '../resolvers/classes/slots.ts';
import { builder } from './builder.ts';

export const IndexState = builder.enumType('IndexState', {
  description: 'Whether a field has an index that queries can use.',
  values: {
    NONE: { value: 'none', description: 'The field has no index.' },
    BUILDING: {
      value: 'building',
      description: 'Existing records are being indexed. Queries do not use the index yet.',
    },
    READY: { value: 'ready', description: 'Queries use the index.' },
    DROPPING: { value: 'dropping', description: 'The index is being removed.' },
  } as const,
});

export const ClassIndexType = builder.objectRef<ClassIndex>('ClassIndex').implement({
  description:
    'A compound index: of two or three fields. It serves filters for exact values of its first fields with a range of ' +
    'the next one, sorted by its last field.',
  fields: (t) => ({
    fields: t.exposeStringList('fields', { description: 'Names of its fields, in order.' }),
    unique: t.exposeBoolean('isUnique', {
      description:
        'Whether no two records may have the same values of all fields. Records without all values are exempt.',
    }),
    state: t.expose('state', { type: IndexState, description: 'Whether queries can use the index.' }),
  }),
});

export const ClassIndexInput = builder.inputType('ClassIndexInput', {
  description:
    'A compound index. `["make", "price"]` makes lists with one `make`, filtered and sorted by `price`, fast for any ' +
    'number of records.',
  fields: (t) => ({
    fields: t.stringList({
      required: true,
      description:
        'Two or three fields: list equality fields first, and the field for ranges and sorting last. ' +
        `Not lists, locations or files. Strings may then have at most ${MAX_COMPOUND_BYTES} bytes in UTF-8.`,
    }),
    unique: t.boolean({
      description:
        'Whether no two records may have the same values of all fields. Records without all values are exempt. ' +
        'Default: false.',
    }),
  }),
});
