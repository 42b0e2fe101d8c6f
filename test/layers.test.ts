import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** Modules that every module may import; they import only each other. */
const SHARED = [
  'generated',
  'lib',
  'platform/encryption',
  'platform/http',
  'platform/limits',
  'platform/observability',
  'platform/second-factors',
  'project-root',
];

/** Modules that each module may import in addition to the shared ones. */
const MAY_IMPORT: Record<string, string[]> = {
  db: [],
  gateways: [],
  realtime: ['db'],
  context: ['gateways', 'realtime'],
  resolvers: ['context', 'administration', 'realtime', 'db', 'gateways'],
  administration: ['context', 'resolvers', 'realtime', 'db', 'gateways'],
  schema: ['context', 'administration/schema', 'administration', 'resolvers', 'realtime'],
  'administration/schema': ['schema', 'administration', 'resolvers', 'realtime'],
  graphql: ['context', 'schema', 'resolvers', 'realtime', 'db'],
  rest: ['context', 'graphql', 'schema', 'resolvers', 'gateways'],
  xmpp: ['context', 'graphql', 'schema', 'resolvers', 'realtime'],
  'server/pages': ['context', 'graphql', 'schema', 'administration', 'resolvers'],
  jobs: ['context', 'operator/archive', 'operator/integrity', 'administration', 'resolvers', 'gateways', 'db'],
  config: [],
  server: [
    'config',
    'context',
    'rest',
    'xmpp',
    'graphql',
    'server/pages',
    'jobs',
    'administration',
    'resolvers',
    'realtime',
    'gateways',
    'db',
  ],
  'operator/archive': ['resolvers', 'gateways', 'db'],
  'operator/integrity': ['resolvers', 'gateways', 'db'],
  'operator/move': ['operator/archive', 'resolvers', 'db'],
  'operator/cli': [
    'operator/archive',
    'operator/integrity',
    'operator/move',
    'server',
    'config',
    'context',
    'administration',
    'resolvers',
    'gateways',
    'main',
  ],
  embedded: ['server', 'config', 'graphql'],
  index: ['embedded'],
  bin: ['operator/cli', 'main', 'cli', 'config'],
  main: ['server', 'config'],
  cli: ['operator/cli'],
};

/** Domains of `src/resolvers` and `src/administration`; each may import only earlier ones. */
const DOMAINS = [
  'audit',
  'users',
  'administrators',
  'request-log',
  'files',
  'geodata',
  'blobs',
  'mail',
  'second-factors',
  'sessions',
  'address-book',
  'blocks',
  'chat-contacts',
  'classes',
  'records',
  'dialogs',
  'messages',
  'signals',
  'accounts',
  'ai',
  'pushes',
  'push-events',
  'push-subscriptions',
  'applications',
  'jobs',
];

const ALLOWED = [
  // The Prisma plugin of Pothos requires the client.
  'schema/builder.ts → db/client.ts',
  'schema/dialogs.ts → db/dialog-types.ts',
  // One table has all that waits.
  'schema/typed/index.ts → db/lanes.ts',
  'rest/http/downloads.ts → db/lanes.ts',
];

interface Import {
  from: string;
  to: string;
}

function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('generated'),
  );
}

function importsOfSource(): Import[] {
  return sourceFiles().flatMap((file) => {
    const modules = importsOf(join(SRC, file)).filter((target) => !target.endsWith('.json'));
    return modules.map((target) => ({ from: file, to: relative(SRC, target) }));
  });
}

function importsOf(file: string): string[] {
  const relatives = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return [...relatives].map((match) => resolve(file, '..', match[1]!));
}

/** `platform/limits/quota.ts` → `platform/limits`, `server/services.ts` → `server`, `config.ts` → `config`. */
function moduleOf(file: string): string {
  const [first = '', second, ...rest] = file.split('/');
  const isNested = ['server', 'operator', 'platform'].includes(first) && rest.length > 0;
  return isNested || file.startsWith('administration/schema/') ? `${first}/${second}` : first.replace(/\.ts$/, '');
}

const imports = importsOfSource();
const arrowOf = ({ from, to }: Import) => `${from} → ${to}`;

test('every import follows the order of the layers', () => {
  const wrong = imports
    .filter(({ from, to }) => {
      const [module, target] = [moduleOf(from), moduleOf(to)];
      return module !== target && !SHARED.includes(target) && !MAY_IMPORT[module]?.includes(target);
    })
    .map(arrowOf)
    .filter((arrow) => !ALLOWED.includes(arrow));
  expect(imports.length).toBeGreaterThan(1_000);
  expect(wrong).toEqual([]);
});

test('every allowed import is used', () => {
  const used = new Set(imports.map(({ from, to }) => `${moduleOf(from)} → ${moduleOf(to)}`));
  const unused = Object.entries(MAY_IMPORT).flatMap(([module, targets]) =>
    targets.map((target) => `${module} → ${target}`).filter((arrow) => !used.has(arrow)),
  );
  expect(unused).toEqual([]);
});

test('the import graph has no cycles', () => {
  const graph = graphOf(imports.map(({ from, to }): Arrow => [from, to]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (file: string, path: string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || done.has(file)) return;
    for (const next of graph.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) walk(file, []);
  expect(cycles).toEqual([]);
});

describe('domains of resolvers', () => {
  const domainOf = (file: string) => /^(?:resolvers|administration)\/(?!schema\/)([^/]+)\//.exec(file)?.[1];
  const folders = ['resolvers', 'administration'].flatMap((tree) =>
    readdirSync(join(SRC, tree), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'schema')
      .map(({ name }) => `${tree}/${name}`),
  );

  test('every domain folder has a place in the order', () => {
    expect(folders.map((folder) => folder.split('/')[1]).sort()).toEqual([...DOMAINS].sort());
  });

  test('domains import only earlier domains', () => {
    const wrong = imports.filter(({ from, to }) => {
      const [domain, target] = [domainOf(from), domainOf(to)];
      if (domain === undefined || target === undefined) return false;
      return DOMAINS.indexOf(target) > DOMAINS.indexOf(domain);
    });
    expect(wrong.map(arrowOf)).toEqual([]);
  });

  test('domains have no index files', () => {
    expect(folders.filter((folder) => existsSync(join(SRC, folder, 'index.ts')))).toEqual([]);
  });

  test('domains import neither HTTP nor Pothos packages', () => {
    const packages = folders.flatMap(packagesOf);
    expect(packages.length).toBeGreaterThan(20);
    expect(packages.filter((name) => /^(node:http|find-my-way|@pothos|graphql-yoga|ws$)/.test(name))).toEqual([]);
  });
});

test('the name of an exported type has one meaning', () => {
  const files = new Map<string, Set<string>>();
  for (const file of sourceFiles()) {
    const exported = /^export (?:(?:abstract )?class|interface|type|enum) (\w+)/gm;
    for (const [, name] of readFileSync(join(SRC, file), 'utf8').matchAll(exported)) {
      files.set(name!, (files.get(name!) ?? new Set()).add(file));
    }
  }
  expect(files.size).toBeGreaterThan(500);
  const repeated = [...files].filter(([, places]) => places.size > 1);
  expect(repeated.map(([name, places]) => `${name}: ${[...places].join(', ')}`)).toEqual([]);
});

test('lib imports no I/O packages', () => {
  expect(
    packagesOf('lib').filter((name) => /^(node:(fs|net|http|child_process)|pg$|@prisma|find-my-way)/.test(name)),
  ).toEqual([]);
});

test('a start loads no packages that only some requests or settings need', () => {
  const loaded = new Set<string>();
  const packages = new Set<string>();
  const load = (file: string) => {
    if (loaded.has(file) || file.startsWith('generated')) return;
    loaded.add(file);
    const text = readFileSync(join(SRC, file), 'utf8');
    for (const [, target] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)) {
      if (target!.startsWith('.')) load(relative(SRC, resolve(SRC, file, '..', target!)));
      else packages.add(target!);
    }
  };
  for (const file of ['main.ts', 'server/lifecycle.ts']) load(file);
  expect(loaded.size).toBeGreaterThan(300);
  expect(packages).toContain('graphql');
  const deferred =
    /^(@aws-sdk|@graphql-yoga|@node-rs|@opentelemetry|express|ioredis|jose|libphonenumber|nodemailer|swagger|web-push)/;
  expect([...packages].filter((name) => deferred.test(name))).toEqual([]);
});

describe('packages/legacy-import', () => {
  const folder = resolve(SRC, '../packages/legacy-import/src');

  test('only service.ts imports from the service', () => {
    const importers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => importsOf(join(folder, file)).some((target) => !target.startsWith(folder)));
    expect(importers).toEqual(['service.ts']);
  });

  test('only the command migrate-from imports it', () => {
    const importers = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => /from '[^']*legacy-import/.test(readFileSync(join(SRC, file), 'utf8')));
    expect(importers).toEqual(['operator/cli/migrate-from.ts']);
  });
});

test('only config.ts reads process.env', () => {
  const readers = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
    .filter((file) => readFileSync(join(SRC, file), 'utf8').includes('process.env'));
  expect(readers).toEqual(['config.ts']);
});

describe('ARCHITECTURE.md', () => {
  const text = readFileSync(resolve(SRC, '../ARCHITECTURE.md'), 'utf8');
  const picture = readPicture(text);

  test('the diagram shows exactly the imports that other arrows do not imply', () => {
    const used = graphOf(
      imports
        .filter((one) => !ALLOWED.includes(arrowOf(one)))
        .map(({ from, to }): Arrow => [picture.nodeOf(moduleOf(from)), picture.nodeOf(moduleOf(to))]),
      SHARED,
    );
    expect(sorted(picture.arrows)).toEqual(sorted(shortest(used)));
  });

  test('ARCHITECTURE.md names the shared modules, and these import no other module', () => {
    const isShared = (file: string) => SHARED.includes(moduleOf(file));
    for (const module of SHARED) expect(text).toContain(`\`${module}\``);
    expect(imports.filter(({ from, to }) => isShared(from) && !isShared(to))).toEqual([]);
  });

  test('ARCHITECTURE.md describes every module', () => {
    const described = [...text.matchAll(/^src\/([a-z/-]+) {2,}\S/gm)].map((match) => match[1]!);
    const modules = new Set(imports.map(({ from }) => moduleOf(from)).filter((one) => isFolder(one)));
    expect([...described].sort()).toEqual([...modules].sort());
  });
});

function isFolder(module: string): boolean {
  return existsSync(join(SRC, module));
}

type Arrow = readonly [from: string, to: string];

function readPicture(text: string): { arrows: Arrow[]; nodeOf: (module: string) => string } {
  const lines = /```mermaid\nflowchart TD\n([^`]+)```/.exec(text)![1]!.trim().split('\n');
  const nodes = new Map<string, string>();
  const arrows = lines.flatMap((line) => {
    const sides = line.split('-->').map((side) =>
      side.split('&').map((written) => {
        const [, node, label = node!] = /^(\w+)(?:\["([^"]+)"\])?$/.exec(written.trim())!;
        for (const module of label.split(', ')) nodes.set(module, node!);
        return node!;
      }),
    );
    return sides.slice(1).flatMap((to, index) => sides[index]!.flatMap((from) => to.map((end): Arrow => [from, end])));
  });
  return { arrows, nodeOf: (module) => nodes.get(module) ?? module };
}

type Graph = Map<string, Set<string>>;

function graphOf(arrows: readonly Arrow[], without: string[] = []): Graph {
  const graph: Graph = new Map();
  for (const [from, to] of arrows) {
    if (from === to || without.includes(from) || without.includes(to)) continue;
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  }
  return graph;
}

function shortest(graph: Graph): Arrow[] {
  return [...graph].flatMap(([from, ends]) =>
    [...ends].filter((end) => ![...ends].some((via) => reaches(graph, via, end))).map((end): Arrow => [from, end]),
  );
}

/** Whether a path exists. @throws on a cycle */
function reaches(graph: Graph, from: string, to: string, way: string[] = []): boolean {
  if (way.includes(from)) throw new Error(`a circle of imports: ${[...way, from].join(' → ')}`);
  return [...(graph.get(from) ?? [])].some((next) => next === to || reaches(graph, next, to, [...way, from]));
}

function sorted(arrows: Arrow[]): string[] {
  return arrows.map(([from, to]) => `${from} → ${to}`).sort();
}

function packagesOf(module: string): string[] {
  return readdirSync(join(SRC, module), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(SRC, module, file), 'utf8').matchAll(/from '([^.'][^']*)'/g)])
    .map((match) => match[1]!);
}
