// Writes the type-level parser of gql.tada for packages/client: the declarations of gql.tada with plain texts instead of
// its enums, and exports that the checker needs. gql.tada itself would install TypeScript with every app (decision 26).
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const EXPORTS = [
  'AbstractSetupSchema',
  'configOfSetup',
  'DocumentDecoration',
  'FragmentOf',
  'FragmentShape',
  'getDocumentNode',
  'getFragmentsOfDocuments',
  'parseDocument',
  'ResultOf',
  'schemaOfSetup',
  'TadaDocumentNode',
  'VariablesOf',
];

/**
 * Instead of those of `graphql`, which an app need not install: without it, the types of `@0no-co/graphql.web` lose
 * their members. `any` fits the documents of every library.
 */
const NODES = `type DefinitionNode = any;
interface DocumentNode {
  readonly kind: any;
  readonly definitions: readonly any[];
}`;

const FILE = new URL('../packages/client/src/generated/gql-tada.d.ts', import.meta.url);

writeFileSync(FILE, parserTypes());

function parserTypes() {
  const require = createRequire(import.meta.url);
  const tada = join(dirname(require.resolve('gql.tada')), '..');
  const kinds = readFileSync(require.resolve('@0no-co/graphql.web').replace(/\.js$/, '.d.ts'), 'utf8');
  const names = new Map(
    [...kinds.matchAll(/readonly (\w+): GraphQLKind<'\w+', '(\w+)'>/g)].map((kind) => [kind[1], kind[2]]),
  );
  const types = readFileSync(join(tada, 'dist/chunks/index-chunk.d.ts'), 'utf8')
    .replace(/^import .*$/m, NODES)
    .replace(/\bKind\.(\w+)/g, (_, kind) => `'${names.get(kind)}'`)
    .replace(/\bOperationTypeNode\.(\w+)/g, (_, operation) => `'${operation.toLowerCase()}'`)
    .replace(/\/\*\*[\s\S]*?\*\/\n?/g, '')
    .replace(/^declare const graphql: [\s\S]*$/m, '');
  const version = JSON.parse(readFileSync(join(tada, 'package.json'), 'utf8')).version;
  const license = readFileSync(join(tada, 'LICENSE.md'), 'utf8').trim();
  const readFragment = 'declare const graphql: unknown;\n';
  return `// Generated from gql.tada ${version} by scripts/client-types.mjs.\n/*\n${license}\n*/\n${types.replace(readFragment, '')}\nexport { ${EXPORTS.map((name) => `type ${name}`).join(', ')}, readFragment };\n`;
}
