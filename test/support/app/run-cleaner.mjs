// Removes the given folders when its standard input ends: the run of the tests that created them ended or was killed.
// Processes that still use the first, for example database servers, are stopped before.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const TIMEOUT_MS = 10_000;

const folders = process.argv.slice(2);
const [runFolder] = folders;

for await (const _ of process.stdin);

const start = Date.now();
for (let pids = users(); pids.length > 0; pids = users()) {
  // Fast shutdown for PostgreSQL. SIGKILL would leave its shared memory.
  for (const pid of pids) signal(pid, Date.now() - start < TIMEOUT_MS ? 'SIGINT' : 'SIGKILL');
  await pause(200);
}
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** Processes with the folder in their command line or environment. */
function users() {
  const list = existsSync('/proc/self/environ') ? processesOfLinux() : processesOfPs();
  return list.filter(({ pid, text }) => pid !== process.pid && text.includes(runFolder)).map(({ pid }) => pid);
}

function processesOfLinux() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), text: read(`/proc/${name}/cmdline`) + read(`/proc/${name}/environ`) }));
}

function processesOfPs() {
  if (process.platform === 'win32') return [];
  const output = execFileSync('ps', ['axeww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return output.split('\n').map((text) => ({ pid: Number.parseInt(text, 10), text }));
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it ended, or belongs to another user
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It ended.
  }
}
