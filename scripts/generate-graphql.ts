// Writes what is derived from the GraphQL schema: schema.graphql, the types of the documents of REST and of the client,
// the table of the rights of administrators in docs/console.md, and the operations for which the console asks for a reason.
import { readFile, writeFile } from 'node:fs/promises';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { introspectionFromSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { schemaTypes } from '../packages/client/src/schema-types.ts';
import { STATUS_OF_CODE } from '../src/lib/errors.ts';
import { REASONS } from '../src/lib/reasons.ts';
import { administratorOperations, rightOf, schema } from '../src/schema/index.ts';

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

const withReason = administratorOperations().filter((name) => {
  const { needsReason, harmlessMembers } = rightOf(name)!;
  return needsReason && !harmlessMembers;
});
await writeFile(
  'packages/console/src/app/reason-operations.ts',
  `/** Written by \`npm run generate\`: operations that always need a stated reason. */
export const REASON_OPERATIONS: ReadonlySet<string> = new Set([${withReason
    .sort()
    .map((name) => `\n  '${name}',`)
    .join('')}\n]);
`,
);

const GUIDE = 'docs/console.md';
const TABLE_HEAD = /(\| Operations \| Roles[^\n]*\n\|[-|]+\n)(\|[^\n]*\n)+/;
const guide = await readFile(GUIDE, 'utf8');
if (!TABLE_HEAD.test(guide)) throw new Error(`${GUIDE} has no table of operations and roles`);
await writeFile(
  GUIDE,
  guide.replace(TABLE_HEAD, (_table, head: string) => head + rowsOfRights().join('')),
);

/** One row for all operations with the same right. */
function rowsOfRights(): string[] {
  const byRight = new Map<string, string[]>();
  for (const name of administratorOperations()) {
    const { roles, isConfirmed, needsReason, harmlessMembers, confirmedMembers } = rightOf(name)!;
    const others = roles.filter((role) => role !== 'owner').join(', ') || '–';
    const members = (harmlessMembers ?? confirmedMembers ?? []).map((one) => `\`${one}\``).join(', ');
    const confirmation = members === '' ? 'yes' : `${harmlessMembers ? 'except for' : 'for'} ${members}`;
    const right = `${others} | ${isConfirmed ? confirmation : ''} | ${needsReason ? 'yes' : ''} |`;
    byRight.set(right, [...(byRight.get(right) ?? []), `\`${name}\``]);
  }
  return [...byRight].sort().map(([right, names]) => `| ${names.sort().join(' ')} | ${right}\n`);
}
