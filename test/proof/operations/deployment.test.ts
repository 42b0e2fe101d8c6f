import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, resolve } from 'node:path';
import { DCLinter } from 'dclint';
import { DockerfileParser } from 'dockerfile-ast';
import { ValidationSeverity, validate } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';

// Docker may be missing where tests run, so these files are only parsed.

const ROOT = resolve(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('the Dockerfile passes its linter', () => {
  const { ERROR } = ValidationSeverity;
  const settings = { deprecatedMaintainer: ERROR, instructionCasing: ERROR, instructionWorkdirRelative: ERROR };
  expect(validate(read('Dockerfile'), settings)).toEqual([]);
  expect(validate('FROM node\nWORKDIR app\nRUNN x', settings)).not.toEqual([]);
});

test('the image is pinned, runs no package scripts, does not run as root, and receives signals directly', () => {
  const instructions = DockerfileParser.parse(read('Dockerfile')).getInstructions();
  const argumentsOf = (keyword: string) =>
    instructions
      .filter((one) => one.getKeyword() === keyword)
      .map((one) => one.getArgumentsContent()!.replace(/\\?\n\s*/g, ' '));

  expect(argumentsOf('ARG')).toEqual([expect.stringMatching(/^NODE=\d+\.\d+\.\d+-\w+-slim$/)]);
  for (const from of argumentsOf('FROM')) expect(from).toMatch(/^node:\$\{NODE\}( AS \w+)?$/);
  const installs = argumentsOf('RUN').filter((run) => run.startsWith('npm ci'));
  expect(installs).toEqual(['npm ci --ignore-scripts', 'npm ci --omit=dev --ignore-scripts']);

  const keywords = instructions.map((one) => one.getKeyword());
  const last = keywords.slice(keywords.lastIndexOf('FROM'));
  expect(last.indexOf('USER')).toBeGreaterThan(last.lastIndexOf('RUN'));
  expect(last.at(-1)).toBe('CMD');
  expect(argumentsOf('USER')).toEqual(['node']);
  expect(argumentsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
  // The same command as `npm start`, but without npm.
  const { scripts } = JSON.parse(read('package.json'));
  expect(JSON.parse(argumentsOf('CMD').at(-1)!).join(' ')).toBe(scripts.start);
  expect(argumentsOf('HEALTHCHECK')[0]).toContain('/healthz');
});

test('files that the image copies exist, and .dockerignore admits what the build needs', () => {
  const patterns = read('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  expect(patterns[0]).toBe('*');
  const letIn = patterns.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  for (const path of letIn) expect(() => readdirOrRead(path), path).not.toThrow();
  expect(letIn).toEqual(
    expect.arrayContaining([
      'package-lock.json',
      'production.env',
      'prisma',
      'src',
      'scripts/prisma.mjs',
      'scripts/build.mjs',
    ]),
  );
});

function readdirOrRead(path: string): unknown {
  const found = readdirSync(join(ROOT, path, '..')).includes(path.split('/').at(-1)!);
  if (!found) throw new Error(`${path} is not there`);
  return found;
}

test('compose.yaml passes its linter', () => {
  const rules = {
    'require-project-name-field': 2,
    'no-build-and-image': 0,
    'require-quotes-in-ports': [2, { quoteType: 'double' }],
    'service-image-require-explicit-tag': 2,
  } as const;
  const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [], disableAll: false } as never);
  const results = linter.lintFiles([join(ROOT, 'compose.yaml')], false);
  expect(results.map((result: { messages: unknown[] }) => result.messages)).toEqual([[]]);
});

test('compose.yaml and deploy/example.env set only known variables', () => {
  const known = new Set([...read('src/config.ts').matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name!));
  const others = ['POSTGRES_USER', 'POSTGRES_PASSWORD', 'POSTGRES_DB', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
  const inCompose = [...read('compose.yaml').matchAll(/^ +([A-Z_]+): "?(.+?)"?$/gm)].map(([, name, value]) => [
    name!,
    value!,
  ]);
  const inFile = [...read('deploy/example.env').matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [
    name!,
    value!,
  ]);
  const given = [...inCompose, ...inFile].filter(([name]) => !others.includes(name!));
  expect(given.length).toBeGreaterThan(8);
  expect(given.map(([name]) => name).filter((name) => !known.has(name!))).toEqual([]);
  const { drainSeconds, trustProxy } = readConfig(Object.fromEntries(inCompose));
  expect([drainSeconds > 1, trustProxy]).toEqual([true, 1]);
});

test('all packages that the service imports are production dependencies', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
  const installed = new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies)]);
  const imported = new Set<string>();
  for (const file of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    for (const [, names, name] of read(join('src', file)).matchAll(
      /^(?:import|export) ((?:[^;'"]*? from )?)'([^.'][^']*)'/gm,
    )) {
      if (!names!.startsWith('type ')) imported.add(name!);
    }
  }
  const packages = [...imported].map((name) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  const missing = packages.filter(
    (name) => !name.startsWith('node:') && !builtinModules.includes(name) && !installed.has(name),
  );
  expect(packages).toContain('find-my-way');
  expect(missing).toEqual([]);
});
