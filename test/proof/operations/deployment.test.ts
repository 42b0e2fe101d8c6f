import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { ValidationSeverity, validate } from 'dockerfile-utils';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { runTool } from '../../../scripts/tools.ts';
import { readConfig } from '../../../src/config.ts';
import { importedPackages } from '../../support/app/imported-packages.ts';
import { registryProblem } from '../../support/app/registry.ts';

// Docker may be missing where tests run, so these files are only parsed.

const COMPOSE_FILES = ['compose.yaml', 'deploy/databases.yaml'];
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

/** Paths that the image may copy from the repository, and those below them that it may not. */
function dockerContext(): { letIn: string[]; omitted: string[] } {
  const patterns = read('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  const letIn = patterns.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  return { letIn, omitted: patterns.filter((line) => !line.startsWith('!')) };
}

test('the files that .dockerignore admits suffice for the build of the image', () => {
  const { letIn, omitted } = dockerContext();
  const folder = mkdtempSync(join(tmpdir(), 'atrium-image-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of letIn) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  // Not the generated code, which the image generates from the same schema with packages of Linux.
  for (const path of omitted.filter((one) => one.endsWith('/dist')))
    rmSync(join(folder, path), { recursive: true, force: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'pipe' });
  for (const file of ['dist/main.js', 'dist/cli.js', 'dist/index.d.ts', 'packages/console/dist/index.html'])
    expect([file, existsSync(join(folder, file))]).toEqual([file, true]);
});

test('files that the image copies exist, and .dockerignore admits what the build needs', () => {
  const { letIn, omitted } = dockerContext();
  expect(omitted[0]).toBe('*');
  for (const path of letIn) expect(() => readdirOrRead(path), path).not.toThrow();
  expect(letIn).toEqual(
    expect.arrayContaining([
      'package-lock.json',
      'production.env',
      'prisma',
      'src',
      'scripts/prisma.mjs',
      'scripts/build.mjs',
      'scripts/licenses.mjs',
      'scripts/sbom.mjs',
      'scripts/absent',
      'packages/client/package.json',
      'tsconfig.package.json',
    ]),
  );
});

function readdirOrRead(path: string): unknown {
  const found = readdirSync(join(ROOT, path, '..')).includes(path.split('/').at(-1)!);
  if (!found) throw new Error(`${path} is not there`);
  return found;
}

const problem = await registryProblem();
if (problem) process.stdout.write(`dclint is skipped, because the registry of npm does not answer: ${problem}\n`);

test.skipIf(problem)('the Compose files pass their linter', () => {
  const rules = {
    'require-project-name-field': 2,
    'no-build-and-image': 0,
    'require-quotes-in-ports': [2, { quoteType: 'double' }],
    'service-image-require-explicit-tag': 2,
  };
  const folder = mkdtempSync(join(tmpdir(), 'atrium-compose-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'rules.json'), JSON.stringify({ rules }));
  const options = ['--config', join(folder, 'rules.json'), '--max-warnings', '0'];
  const lint = (file: string) => runTool('compose-linter', 'dclint', [...options, file], 'pipe');
  for (const file of COMPOSE_FILES) expect(lint(join(ROOT, file))).toMatchObject({ status: 0, stderr: '' });
  writeFileSync(join(folder, 'compose.yaml'), 'services:\n  web:\n    image: nginx\n    ports:\n      - 80:80\n');
  expect(lint(join(folder, 'compose.yaml')).stdout).toContain('service-image-require-explicit-tag');
});

test('the containers have few rights, and the databases have no secrets of the service', () => {
  const [base, added] = COMPOSE_FILES.map((file) => parse(read(file), { merge: true }).services);
  const rights = { cap_drop: ['ALL'], read_only: true, security_opt: ['no-new-privileges:true'] };
  expect(Object.keys(base)).toHaveLength(5);
  for (const [name, service] of Object.entries(base)) expect(service, name).toMatchObject(rights);
  const { database, ...others } = base;
  expect(database.env_file).toBe('deploy/database.env');
  for (const [name, service] of Object.entries<{ extends?: object }>(added))
    if (!others[name] && name !== 'database')
      expect(service.extends, name).toEqual({ file: 'compose.yaml', service: 'database' });
  expect(namesIn('deploy/example.database.env')).toEqual(['POSTGRES_USER', 'POSTGRES_PASSWORD']);
});

/** With those that are comments. A later line has precedence. */
const variablesIn = (file: string) =>
  [...read(file).matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!] as const);

const namesIn = (file: string) => variablesIn(file).map(([name]) => name);

const example = (): Record<string, string> => ({
  ...Object.fromEntries(variablesIn('deploy/example.env')),
  ENCRYPTION_KEY: '0'.repeat(64),
});

interface Pod {
  containers: { securityContext: object; env?: { name: string; value: string }[] }[];
  securityContext: object;
  terminationGracePeriodSeconds?: number;
}

const podOf = (file: string): Pod => parseAllDocuments(read(`deploy/kubernetes/${file}`))[0]!.toJS().spec.template.spec;

test('the containers in Kubernetes have few rights', () => {
  for (const { containers, securityContext } of ['atrium.yaml', 'init-databases.yaml'].map(podOf)) {
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    const rights = {
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    };
    for (const container of containers) expect(container.securityContext).toEqual(rights);
  }
});

test('Compose, Kubernetes and the example of their environment set only known variables, to valid values', () => {
  const known = new Set([...read('src/config.ts').matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name!));
  const { one } = parse(read('compose.yaml'), { merge: true }).services;
  const { containers, terminationGracePeriodSeconds } = podOf('atrium.yaml');
  const inPod = Object.fromEntries(containers[0]!.env!.map(({ name, value }) => [name, value]));
  for (const variables of [one.environment, inPod, { ...example(), REDIS_URL: 'redis://redis' }]) {
    const names = Object.keys(variables).filter((name) => !name.startsWith('AWS_'));
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  }
  for (const variables of [one.environment, inPod]) {
    const config = readConfig({ ...example(), ...variables, REDIS_URL: 'redis://redis' });
    expect(config).toMatchObject({ trustProxy: 1, databaseShards: [expect.stringContaining('@database-two')] });
    expect(config.drainSeconds).toBeGreaterThan(1);
  }
  expect(terminationGracePeriodSeconds).toBeGreaterThan(Number(inPod.DRAIN_SECONDS) + 10);
});

test('all packages that the service imports are installed with it, or bundled', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'));
  const imported = importedPackages();
  expect(imported).toContain('find-my-way');
  // The build bundles development packages.
  expect(imported.filter((name) => !dependencies[name] && !devDependencies[name])).toEqual([]);
  expect(Object.keys(dependencies).filter((name) => !imported.includes(name))).toEqual([]);
});
