import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** Which rooms a room may import; its own files always, `lib` too. */
const MAY_IMPORT: Record<string, string[]> = {
  lib: [],
  observe: [],
  generated: [],
  db: ['generated', 'observe'],
  gateways: ['observe'],
  http: [],
  limits: [],
  secrets: [],
  realtime: ['db', 'generated', 'observe'],
  resolvers: ['realtime', 'db', 'gateways', 'secrets', 'generated', 'observe', 'context'],
  schema: ['resolvers', 'realtime', 'generated', 'observe', 'context'],
  graphql: ['schema', 'resolvers', 'limits', 'realtime', 'db', 'http', 'observe', 'context'],
  rest: ['schema', 'resolvers', 'limits', 'graphql', 'http', 'generated', 'observe', 'context'],
  pages: ['schema', 'resolvers', 'graphql', 'http', 'context'],
  jobs: ['resolvers', 'realtime', 'gateways', 'db', 'observe', 'context'],
  config: [],
  context: ['resolvers', 'realtime', 'gateways', 'limits', 'secrets', 'observe'],
  app: [
    'rest',
    'pages',
    'graphql',
    'jobs',
    'resolvers',
    'limits',
    'realtime',
    'db',
    'gateways',
    'secrets',
    'observe',
    'config',
    'context',
  ],
  migration: ['resolvers', 'realtime', 'db', 'context'],
  start: ['db', 'secrets', 'config'],
  main: ['app', 'start', 'resolvers', 'gateways', 'observe', 'config'],
  archive: ['resolvers', 'gateways', 'secrets', 'db'],
  check: ['gateways', 'db'],
  cli: [
    'start',
    'archive',
    'check',
    'migration',
    'resolvers',
    'realtime',
    'gateways',
    'secrets',
    'generated',
    'config',
    'context',
  ],
};

/** Exceptions, each with its reason. */
const ALLOWED = [
  // The Prisma plugin of the schema has to be given the client.
  'schema/builder.ts → db/client.ts',
];

interface Import {
  from: string;
  to: string;
}

function importsOfSource(): Import[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
    .flatMap((file) => {
      const text = readFileSync(join(SRC, file), 'utf8');
      const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]!);
      return targets.map((target) => ({ from: file, to: relative(SRC, resolve(SRC, file, '..', target)) }));
    });
}

function roomOf(file: string): string {
  return file.split('/')[0]!.replace(/\.ts$/, '');
}

const imports = importsOfSource();

test('every import goes in the one direction', () => {
  const wrong = imports
    .filter(({ from, to }) => {
      const [room, target] = [roomOf(from), roomOf(to)];
      return room !== target && target !== 'lib' && !MAY_IMPORT[room]?.includes(target);
    })
    .map(({ from, to }) => `${from} → ${to}`)
    .filter((arrow) => !ALLOWED.includes(arrow));
  expect(imports.length).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});

test('resolvers never see HTTP, Express or Pothos', () => {
  expect(packagesOf('resolvers').filter((name) => /^(node:http|express|@pothos|graphql-yoga|ws$)/.test(name))).toEqual(
    [],
  );
});

test('lib does no I/O', () => {
  expect(
    packagesOf('lib').filter((name) => /^(node:(fs|net|http|child_process)|pg$|@prisma|express)/.test(name)),
  ).toEqual([]);
});

test('the environment is read in one place', () => {
  const readers = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
    .filter((file) => readFileSync(join(SRC, file), 'utf8').includes('process.env'));
  expect(readers).toEqual(['config.ts']);
});

function packagesOf(room: string): string[] {
  return readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(SRC, room, file), 'utf8').matchAll(/from '([^.'][^']*)'/g)])
    .map((match) => match[1]!);
}
