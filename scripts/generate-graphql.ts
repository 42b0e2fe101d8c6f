// Writes the files derived from the GraphQL schema: schema.graphql, and the types of the documents of REST and of the
// client.
import { writeFile } from 'node:fs/promises';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { introspectionFromSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { schemaTypes } from '../packages/client/src/schema-types.ts';
import { STATUS_OF_CODE } from '../src/lib/errors.ts';
import { REASONS } from '../src/lib/reasons.ts';
import { schema } from '../src/schema/index.ts';

const sorted = lexicographicSortSchema(schema);
await writeFile('schema.graphql', `${printSchema(sorted)}\n`);

const union = (names: string[]) => names.map((name) => `\n  | '${name}'`).join('');
await writeFile(
  'packages/client/src/generated/errors.ts',
  `/** Kinds of failures of the service. */
export type ServiceErrorCode =${union(Object.keys(STATUS_OF_CODE))};

/** Causes of failures. The description of the schema has their sentences. */
export type ErrorReason =${union(Object.keys(REASONS))};
`,
);

const introspection = minifyIntrospection(introspectionFromSchema(sorted, { descriptions: false }));
const types = outputIntrospectionFile(introspection, { fileType: '.d.ts', shouldPreprocess: true });
await writeFile('src/generated/graphql-env.d.ts', types);

const client = 'packages/client/src/generated/introspection.d.ts';
await writeFile(client, schemaTypes(introspectionFromSchema(sorted).__schema));
