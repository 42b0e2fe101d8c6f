// Installs the packed `atrium` of a folder elsewhere, as `npx atrium` does, and uses it: `node scripts/try-package.mjs packed`.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const TIMEOUT_MS = 120_000;

let service;

const packed = resolve(process.argv[2] ?? '.');
const file = readdirSync(packed).find((name) => /^atrium-\d.*\.tgz$/.test(name));
if (!file) throw new Error(`no packed atrium in ${packed}`);

const project = mkdtempSync(join(tmpdir(), 'atrium-try-'));
const options = { cwd: project, stdio: 'inherit', shell: process.platform === 'win32' };
run('npm', ['init', '--yes']);
run('npm', ['install', join(packed, file)]);
run('npx', ['--no-install', 'atrium', '--version']);

// Not with npx, because it does not forward signals on every platform.
const program = join(project, 'node_modules/atrium/dist/bin.js');
service = spawn(process.execPath, [program], { cwd: project, env: { ...process.env, PORT: '0' } });
const timer = setTimeout(() => fail('the service is not ready'), TIMEOUT_MS);
let output = '';
for (const stream of [service.stdout, service.stderr]) {
  stream.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text);
    output += text;
  });
}
service.on('exit', (code) => code && fail(`the service exited with ${code}`));
while (!/ready at \S+\n/.test(output)) await new Promise((done) => setTimeout(done, 50));
clearTimeout(timer);
const [, url] = /ready at (\S+)\n/.exec(output);

const health = await fetch(`${url}/healthz`);
if (!health.ok) fail(`/healthz responds ${health.status}`);
const { apiKey } = JSON.parse(readFileSync(join(project, 'data/credentials.json'), 'utf8'));
const response = await fetch(`${url}/graphql`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Authorization: `ApiKey ${apiKey}` },
  body: JSON.stringify({ query: '{ application { id name } }' }),
});
const { data, errors } = await response.json();
if (errors || !data.application.id) fail(`an unexpected response: ${JSON.stringify({ data, errors })}`);

service.kill('SIGTERM');
await new Promise((done) => service.once('close', done));
// On Windows a process cannot ask another to stop, so its database still runs.
if (process.platform !== 'win32') rmSync(project, { recursive: true, force: true });
process.stdout.write('the packed package works\n');

function run(command, args) {
  const { status } = spawnSync(command, args, options);
  if (status !== 0) fail(`${command} ${args.join(' ')} failed`);
}

function fail(reason) {
  process.stderr.write(`${reason}\n`);
  service?.kill('SIGKILL');
  process.exit(1);
}
