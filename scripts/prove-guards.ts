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

for (const guard of guards) mutated(guard, ROOT); // a table that does not fit the sources ends it at once

const copy = mkdtempSync(join(tmpdir(), 'atrium-guards-'));
let unproven = 0;
try {
  copySources(copy);
  const passing = await passingTests();
  for (const guard of guards) {
    const why = passing.has(guard.testFile) ? await whyUnproven(guard) : 'its test does not pass with all guards';
    if (why) unproven++;
    process.stdout.write(`${why ? 'NOT PROVEN' : 'proven    '}  ${nameOf(guard)}${why ? `: ${why}` : ''}\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.stdout.write(`\n${guards.length - unproven} of ${guards.length} guards proven\n`);
process.exit(unproven === 0 ? 0 : 1);

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

/** Files whose tests of these guards all pass while the guards are in their places. */
async function passingTests(): Promise<Set<string>> {
  const passing = new Set<string>();
  for (const file of new Set(guards.map(({ testFile }) => testFile))) {
    const names = guards.filter(({ testFile }) => testFile === file).map(patternOf);
    const { code, passed, output } = await vitest(file, `(${[...new Set(names)].join('|')})`);
    if (code === 0 && passed > 0) passing.add(file);
    else process.stdout.write(`${file} fails with all guards:\n${output}\n`);
  }
  return passing;
}

async function whyUnproven(guard: Guard): Promise<string | undefined> {
  const file = join(copy, guard.file);
  const original = readFileSync(file, 'utf8');
  writeFileSync(file, mutated(guard, copy));
  try {
    const { code, output } = await vitest(guard.testFile, patternOf(guard));
    if (code === 0) return 'its test passes without it';
    // A file that does not even load says nothing of its tests.
    return /Failed Tests|Unhandled Errors/.test(output) ? undefined : `its test did not run without it\n${output}`;
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

/** A regular expression of the names of a guard's tests. */
function patternOf({ test, only }: Guard): string {
  return (only === undefined ? test : `${test} ${only}`).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

interface Run {
  code: number | null;
  passed: number;
  output: string;
}

function vitest(file: string, pattern: string): Promise<Run> {
  const child = spawn('npx', ['vitest', 'run', file, '--testNamePattern', pattern], {
    cwd: copy,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  let output = '';
  const add = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  return new Promise((done) => {
    child.on('close', (code) => done({ code, passed: Number(/^(\d+) passed, /m.exec(output)?.[1] ?? 0), output }));
  });
}
