// Repeats a suite of tests beside a load that takes two thirds of each core, to find tests that depend on a fast machine:
// `npm run stress -- everyday --runs 5`, `npm run stress -- proof --runs 2`. Further arguments are those of Vitest.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, setPriority } from 'node:os';
import { parseArgs } from 'node:util';

const SUITES: Record<string, string> = { everyday: 'test', guards: 'test:guards', proof: 'test:proof' };

const PERIOD_MS = 100;

/** The load keeps its share, because the tests run at a lower priority. */
const TEST_PRIORITY = 10;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '5' }, load: { type: 'string', default: '0.67' } },
});
const [suite = 'everyday', ...others] = positionals;
const script = SUITES[suite];
const [runs, load] = [Number(values.runs), Number(values.load)];
if (!script || !Number.isInteger(runs) || runs < 1 || !(load >= 0 && load < 1)) {
  process.stderr.write('usage: npm run stress -- everyday|guards|proof [--runs 5] [--load 0.67] [files …]\n');
  process.exit(2);
}

const burners = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ['-e', burn(load)]));
process.on('exit', stopLoad);
setPriority(TEST_PRIORITY);

const results: string[] = [];
let failures = 0;
for (let run = 1; run <= runs; run++) {
  const start = performance.now();
  const code = await exitCode(
    spawn('npm', ['run', '--silent', script!, '--', ...others], {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    }),
  );
  if (code !== 0) failures++;
  const minutes = (performance.now() - start) / 60_000;
  results.push(`run ${run}: ${code === 0 ? 'passed' : 'FAILED'} after ${minutes.toFixed(1)} min`);
}
stopLoad();
process.stdout.write(`\nstress of ${suite}, ${Math.round(load * 100)} % of each core taken\n${results.join('\n')}\n`);
process.exitCode = failures > 0 ? 1 : 0;

function burn(share: number): string {
  return `setInterval(() => { const end = performance.now() + ${share * PERIOD_MS}; while (performance.now() < end); }, ${PERIOD_MS});`;
}

function stopLoad(): void {
  for (const burner of burners) burner.kill();
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}
