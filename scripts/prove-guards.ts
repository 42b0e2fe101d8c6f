// Proves that the tests of test/proof/attacks fail without the guards they test: removes each guard of
// scripts/guards.ts from a copy of the sources and requires that its test fails there, and passes with all guards
// present.
// `npm run prove:guards` runs all rows, `npm run prove:guards -- 21 36` some. An interrupt ends it after the current
// run.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { GUARDS, type Guard } from './guards.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Timeout per test with all guards; long, because a slow machine must not count as a failure. */
const TIMEOUT_MS = 600_000;
const rows = process.argv.slice(2).map(Number);
const unknown = rows.filter((row) => !GUARDS.some((guard) => guard.row === row));
if (unknown.length > 0) throw new Error(`no guards for row ${unknown.join(', ')}`);
const guards = rows.length === 0 ? GUARDS : GUARDS.filter(({ row }) => rows.includes(row));

for (const guard of guards) mutated(guard, ROOT); // fails early if a guard does not match the sources

// An aborted run would leave its PostgreSQL process running.
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    process.stdout.write('interrupted: stopping after the current run\n');
  });
}

const copy = mkdtempSync(join(tmpdir(), 'atrium-guards-'));
let proven = 0;
try {
  copySources(copy);
  const passing = await passingTests();
  for (const guard of guards) {
    if (isInterrupted) break;
    const why = passing.has(nameOfTests(guard)) ? await whyUnproven(guard) : 'its tests fail with all guards present';
    if (!why) proven++;
    process.stdout.write(`${why ? 'NOT PROVEN' : 'proven    '}  ${nameOf(guard)}${why ? `: ${why}` : ''}\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.stdout.write(`\n${proven} of ${guards.length} guards proven\n`);
process.exit(proven === guards.length ? 0 : 1);

/** Copies tracked, untracked and generated files; the packages are linked. */
function copySources(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of listed.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  for (const generated of ['src/generated', 'packages/client/src/generated']) {
    cpSync(join(ROOT, generated), join(folder, generated), { recursive: true });
  }
  // Some tests run `git ls-files`.
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  execFileSync('git', ['add', '--all'], { cwd: folder });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Names of the tests that pass with all guards present. */
async function passingTests(): Promise<Set<string>> {
  const passing = new Set<string>();
  for (const file of new Set(guards.map(({ testFile }) => testFile))) {
    if (isInterrupted) break;
    const names = [...new Set(guards.filter(({ testFile }) => testFile === file).map(nameOfTests))];
    const { tests, output } = await vitest(file, names, TIMEOUT_MS);
    const failed = names.filter((name) => {
      const own = tests.filter(({ fullName }) => fullName.startsWith(name));
      return !own.some(({ status }) => status === 'passed') || own.some(({ status }) => status === 'failed');
    });
    if (failed.length > 0) process.stdout.write(`${output}\n`);
    for (const name of names) if (!failed.includes(name)) passing.add(name);
  }
  return passing;
}

async function whyUnproven(guard: Guard): Promise<string | undefined> {
  const file = join(copy, guard.file);
  const original = readFileSync(file, 'utf8');
  writeFileSync(file, mutated(guard, copy));
  try {
    const { code, tests, output } = await vitest(guard.testFile, [nameOfTests(guard)]);
    // Without a guard that keeps the process alive, another test may fail first.
    if (tests.some(({ status }) => status === 'failed') || /Unhandled Error/.test(output)) return undefined;
    // A file that fails to load proves nothing.
    return code === 0 ? 'its tests pass without the guard' : `its tests did not run without the guard\n${output}`;
  } finally {
    writeFileSync(file, original);
  }
}

/** The source without the guard. @throws if the text does not occur exactly once */
function mutated(guard: Guard, folder: string): string {
  const source = readFileSync(join(folder, guard.file), 'utf8');
  const found = source.split(guard.text).length - 1;
  if (found !== 1) throw new Error(`${nameOf(guard)}: expected the text once, found ${found}: ${guard.text}`);
  return source.replace(guard.text, () => guard.instead);
}

function nameOf({ row, file, text }: Guard): string {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return `#${row} ${file}:${source.slice(0, source.indexOf(text)).split('\n').length}`;
}

/** Prefix of the full test names. */
function nameOfTests({ test, only }: Guard): string {
  return only === undefined ? test : `${test} ${only}`;
}

interface Run {
  code: number | null;
  tests: { fullName: string; status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo' }[];
  output: string;
}

/** Runs the tests of a file whose full names start with one of `names`. */
async function vitest(file: string, names: string[], timeout?: number): Promise<Run> {
  const results = join(copy, '.results.json');
  rmSync(results, { force: true });
  const pattern = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  if (timeout !== undefined) options.push(`--testTimeout=${timeout}`, `--hookTimeout=${timeout}`);
  const child = spawn('npx', ['vitest', 'run', file, '--testNamePattern', `^ ?(${pattern})`, ...options], {
    cwd: copy,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, so that Ctrl-C in the terminal does not reach it.
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32',
  });
  let output = '';
  const add = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  const code = await new Promise<number | null>((done) => child.on('close', done));
  const { testResults } = existsSync(results)
    ? (JSON.parse(readFileSync(results, 'utf8')) as { testResults: { assertionResults: Run['tests'] }[] })
    : { testResults: [] };
  return { code, tests: testResults.flatMap(({ assertionResults }) => assertionResults), output };
}
