import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

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
  jobs: ['resolvers', 'gateways', 'db', 'observe', 'context'],
  config: [],
  context: ['resolvers', 'realtime', 'gateways', 'limits', 'secrets', 'observe'],
  app: [
    'rest',
    'pages',
    'graphql',
    'http',
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
  main: ['app', 'start', 'resolvers', 'gateways', 'secrets', 'observe', 'config'],
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

test('no room may import what it does not', () => {
  const used = new Set(imports.map(({ from, to }) => `${roomOf(from)} → ${roomOf(to)}`));
  const unused = Object.entries(MAY_IMPORT).flatMap(([room, targets]) =>
    targets.map((target) => `${room} → ${target}`).filter((arrow) => !used.has(arrow)),
  );
  expect(unused).toEqual([]);
});

test('resolvers never see HTTP or Pothos', () => {
  expect(
    packagesOf('resolvers').filter((name) => /^(node:http|find-my-way|@pothos|graphql-yoga|ws$)/.test(name)),
  ).toEqual([]);
});

test('lib does no I/O', () => {
  expect(
    packagesOf('lib').filter((name) => /^(node:(fs|net|http|child_process)|pg$|@prisma|find-my-way)/.test(name)),
  ).toEqual([]);
});

test('the environment is read in one place', () => {
  const readers = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
    .filter((file) => readFileSync(join(SRC, file), 'utf8').includes('process.env'));
  expect(readers).toEqual(['config.ts']);
});

describe('ARCHITECTURE.md', () => {
  const text = readFileSync(resolve(SRC, '../ARCHITECTURE.md'), 'utf8');
  const picture = readPicture(text);

  test('draws every import, and none that a way of several arrows shows already', () => {
    const used = graphOf(
      imports.map(({ from, to }) => [picture.nodeOf(roomOf(from)), picture.nodeOf(roomOf(to))] as const),
      everybodys(text),
    );
    expect(sorted(picture.arrows)).toEqual(sorted(shortest(used)));
  });

  test('leaves out what everybody may use, which uses nothing that is drawn', () => {
    const open = everybodys(text);
    expect(open).toEqual(['generated', 'lib', 'observe']);
    expect(imports.filter(({ from, to }) => open.includes(roomOf(from)) && !open.includes(roomOf(to)))).toEqual([]);
  });

  test('describes every folder', () => {
    const described = [...text.matchAll(/^\| `src\/([a-z-]+)` \|/gm)].map((match) => match[1]!);
    const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...described, 'generated'].sort()).toEqual(folders.map(({ name }) => name).sort());
  });
});

type Arrow = readonly [from: string, to: string];

/** The arrows of the diagram, and which of its nodes stands for a room: the one that has it in its label. */
function readPicture(text: string): { arrows: Arrow[]; nodeOf: (room: string) => string } {
  const lines = /```mermaid\nflowchart TD\n([^`]+)```/.exec(text)![1]!.trim().split('\n');
  const nodes = new Map<string, string>();
  const arrows = lines.flatMap((line) => {
    const sides = line.split('-->').map((side) =>
      side.split('&').map((written) => {
        const [, node, label = node!] = /^(\w+)(?:\["([^"]+)"\])?$/.exec(written.trim())!;
        for (const room of label.split(', ')) nodes.set(roomOf(room), node!);
        return node!;
      }),
    );
    return sides.slice(1).flatMap((to, index) => sides[index]!.flatMap((from) => to.map((end): Arrow => [from, end])));
  });
  return { arrows, nodeOf: (room) => nodes.get(room) ?? room };
}

/** Rooms that the text says everybody may use. */
function everybodys(text: string): string[] {
  const [sentence] = /imports of\s+[^.]+which everybody may use\./.exec(text)!;
  return [...sentence.matchAll(/`(\w+)`/g)].map((match) => match[1]!);
}

type Graph = Map<string, Set<string>>;

function graphOf(arrows: readonly Arrow[], without: string[]): Graph {
  const graph: Graph = new Map();
  for (const [from, to] of arrows) {
    if (from === to || without.includes(from) || without.includes(to)) continue;
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  }
  return graph;
}

/** The arrows of a graph that no way of several arrows makes needless. */
function shortest(graph: Graph): Arrow[] {
  return [...graph].flatMap(([from, ends]) =>
    [...ends].filter((end) => ![...ends].some((via) => reaches(graph, via, end))).map((end): Arrow => [from, end]),
  );
}

/** By one arrow or several. @throws if they go in a circle */
function reaches(graph: Graph, from: string, to: string, way: string[] = []): boolean {
  if (way.includes(from)) throw new Error(`a circle of imports: ${[...way, from].join(' → ')}`);
  return [...(graph.get(from) ?? [])].some((next) => next === to || reaches(graph, next, to, [...way, from]));
}

function sorted(arrows: Arrow[]): string[] {
  return arrows.map(([from, to]) => `${from} → ${to}`).sort();
}

function packagesOf(room: string): string[] {
  return readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(SRC, room, file), 'utf8').matchAll(/from '([^.'][^']*)'/g)])
    .map((match) => match[1]!);
}
