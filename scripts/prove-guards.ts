// Proves that the tests of test/attacks fail without what they test: takes each guard of scripts/guards.ts out of a copy
// of the sources, runs its test there, and demands that it fails; with all guards in their places it has to pass.
// `npm run prove:guards` for all rows, `npm run prove:guards -- 21 36` for some.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { GUARDS, type Guard } from './guards.ts';

const ROOT = resolve(import.meta.dirname, '..');
const rows = process.argv.slice(2).map(Number);
const unknown = rows.filter((row) => !GUARDS.some((guard) => guard.row === row));
if (unknown.length > 0) throw new Error(`no guards of ${unknown.join(', ')}`);
const guards = rows.length === 0 ? GUARDS : GUARDS.filter(({ row }) => rows.includes(row));

for (const guard of guards) mutated(guard); // a table that does not fit the sources ends it at once

const copy = mkdtempSync(join(tmpdir(), 'atrium-guards-'));
const outcomes: { guard: Guard; isProven: boolean; why: string }[] = [];
try {
  copySources(copy);
  for (const guard of guards) {
    const outcome = await prove(guard);
    outcomes.push(outcome);
    process.stdout.write(
      `${outcome.isProven ? 'proven' : 'NOT PROVEN'}  #${guard.row} ${guard.file}: ${outcome.why}\n`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}

const failed = outcomes.filter(({ isProven }) => !isProven);
process.stdout.write(`\n${outcomes.length - failed.length} of ${outcomes.length} guards proven\n`);
process.exit(failed.length === 0 ? 0 : 1);

/** What git would keep, with what is generated; packages are shared with the original. */
function copySources(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of listed.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  cpSync(join(ROOT, 'src/generated'), join(folder, 'src/generated'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // Some tests ask git what there is.
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  execFileSync('git', ['add', '--all'], { cwd: folder });
}

async function prove(guard: Guard): Promise<{ guard: Guard; isProven: boolean; why: string }> {
  const whole = await test(guard);
  if (whole.passed === 0 || whole.code !== 0) {
    return { guard, isProven: false, why: `its test does not pass with it\n${whole.output}` };
  }
  const file = join(copy, guard.file);
  const original = readFileSync(file, 'utf8');
  writeFileSync(file, mutated(guard));
  try {
    const without = await test(guard);
    return without.code === 0
      ? { guard, isProven: false, why: 'its test passes without it' }
      : { guard, isProven: true, why: `"${guard.test}" fails without it` };
  } finally {
    writeFileSync(file, original);
  }
}

/** The file of a guard without it. Its text must be there exactly once, or else something else would be changed. */
function mutated({ row, file, text, instead }: Guard): string {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const found = source.split(text).length - 1;
  if (found !== 1) throw new Error(`#${row}: ${file} has the text ${found} times, not once: ${text}`);
  return source.replace(text, () => instead);
}

interface Run {
  code: number | null;
  /** Tests that ran and passed. */
  passed: number;
  output: string;
}

const runs = new Map<string, Run>();

/** Runs the tests whose names begin so. What has passed with all guards in place is not run again. */
async function test(guard: Guard): Promise<Run> {
  const key = `${guard.testFile} ${guard.test}`;
  const isWhole = readFileSync(join(copy, guard.file), 'utf8') === readFileSync(join(ROOT, guard.file), 'utf8');
  const known = isWhole ? runs.get(key) : undefined;
  if (known) return known;
  const run = await vitest(guard.testFile, guard.test);
  if (isWhole) runs.set(key, run);
  return run;
}

function vitest(file: string, name: string): Promise<Run> {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const child = spawn('npx', ['vitest', 'run', file, '--testNamePattern', literal], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  return new Promise((done) => {
    child.on('close', (code) => done({ code, passed: Number(/^(\d+) passed, /m.exec(output)?.[1] ?? 0), output }));
  });
}
