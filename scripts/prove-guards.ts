// Proves that the tests of test/proof/attacks fail without what they test: takes each guard of scripts/guards.ts out of a copy
// of the sources, runs its test there, and demands that it fails; with all guards in their places it has to pass.
// `npm run prove:guards` for all rows, `npm run prove:guards -- 21 36` for some. Interrupted, it ends with the run under way.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { GUARDS, type Guard } from './guards.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** How long a test may take with all guards, in milliseconds: a busy machine proves nothing. */
const PATIENCE = 600_000;
const rows = process.argv.slice(2).map(Number);
const unknown = rows.filter((row) => !GUARDS.some((guard) => guard.row === row));
if (unknown.length > 0) throw new Error(`no guards of ${unknown.join(', ')}`);
const guards = rows.length === 0 ? GUARDS : GUARDS.filter(({ row }) => rows.includes(row));

for (const guard of guards) mutated(guard, ROOT); // a table that does not fit the sources ends it at once

// A run that is cut off would leave its PostgreSQL behind.
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    process.stdout.write('interrupted: ends with the run under way\n');
  });
}

const copy = mkdtempSync(join(tmpdir(), 'atrium-guards-'));
let proven = 0;
try {
  copySources(copy);
  const passing = await passingTests();
  for (const guard of guards) {
    if (isInterrupted) break;
    const why = passing.has(nameOfTests(guard)) ? await whyUnproven(guard) : 'its tests do not pass with all guards';
    if (!why) proven++;
    process.stdout.write(`${why ? 'NOT PROVEN' : 'proven    '}  ${nameOf(guard)}${why ? `: ${why}` : ''}\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.stdout.write(`\n${proven} of ${guards.length} guards proven\n`);
process.exit(proven === guards.length ? 0 : 1);

/** What git would keep, with what is generated; packages are shared with the original. */
function copySources(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of listed.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  cpSync(join(ROOT, 'src/generated'), join(folder, 'src/generated'), { recursive: true });
  // Some tests ask git what there is.
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  execFileSync('git', ['add', '--all'], { cwd: folder });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Names of the tests of these guards that pass while the guards are in their places. */
async function passingTests(): Promise<Set<string>> {
  const passing = new Set<string>();
  for (const file of new Set(guards.map(({ testFile }) => testFile))) {
    if (isInterrupted) break;
    const names = [...new Set(guards.filter(({ testFile }) => testFile === file).map(nameOfTests))];
    const { tests, output } = await vitest(file, names, PATIENCE);
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
    // Where the guard keeps the process alive, the test itself may not be the one that fails.
    if (tests.some(({ status }) => status === 'failed') || /Unhandled Error/.test(output)) return undefined;
    // A file that does not even load says nothing of its tests.
    return code === 0 ? 'its tests pass without it' : `its tests did not run without it\n${output}`;
  } finally {
    writeFileSync(file, original);
  }
}

/** The file of a guard without it. Its text must be there exactly once, or else something else would be changed. */
function mutated(guard: Guard, folder: string): string {
  const source = readFileSync(join(folder, guard.file), 'utf8');
  const found = source.split(guard.text).length - 1;
  if (found !== 1) throw new Error(`${nameOf(guard)} has the text ${found} times, not once: ${guard.text}`);
  return source.replace(guard.text, () => guard.instead);
}

function nameOf({ row, file, text }: Guard): string {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return `#${row} ${file}:${source.slice(0, source.indexOf(text)).split('\n').length}`;
}

/** How the full names of a guard's tests begin. */
function nameOfTests({ test, only }: Guard): string {
  return only === undefined ? test : `${test} ${only}`;
}

interface Run {
  code: number | null;
  tests: { fullName: string; status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo' }[];
  output: string;
}

/** Runs the tests of a file whose full names begin so. */
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
    // Out of reach of the terminal's interrupt.
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
