import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DockerfileParser } from 'dockerfile-ast';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/app/redis.ts';

// No registry of images is used: a base image is made from packages of Debian and from this machine's Node.js.

const ROOT = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);
const hasEngine = process.getuid?.() === 0 && ['/usr/bin/buildah', '/usr/sbin/debootstrap'].every(existsSync);
if (!hasEngine) console.log('buildah or debootstrap is missing: the image is not built');

let folder: string;

/** Runs `buildah` with a storage of this test. @returns what it printed */
async function buildah(...args: string[]): Promise<string> {
  const { stdout } = await run('buildah', [...storage(), ...args], { cwd: ROOT, maxBuffer: 64e6 });
  return stdout.trim();
}

const storage = () => ['--root', join(folder, 'images'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];

/** Debian with Node.js, npm and the user `node`, like the official image, and this machine's certificates. */
async function createBaseImage(): Promise<void> {
  const base = join(folder, 'base');
  await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', base], { maxBuffer: 64e6 });
  const npm = (await run('npm', ['root', '--global'])).stdout.trim();
  const local = join(base, 'usr/local');
  await cp(process.execPath, join(local, 'bin/node'));
  await cp(join(npm, 'npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  await cp(certificates, join(base, certificates));
  const registry = (await run('npm', ['config', 'get', 'registry'], { cwd: ROOT })).stdout.trim();
  await mkdir(join(local, 'etc'), { recursive: true });
  await writeFile(join(local, 'etc/npmrc'), `registry=${registry}\ncafile=${certificates}\n`);
  await run('chroot', [base, 'useradd', '--create-home', '--uid', '1000', 'node']);
  const container = await buildah('from', 'scratch');
  await buildah('add', '--quiet', container, base, '/');
  await buildah('commit', '--quiet', container, 'docker.io/library/node:local');
  await buildah('rm', container);
  await rm(base, { recursive: true });
}

/** Runs the command of the image, which `buildah run` does not know, until the service is ready. */
async function start(container: string, port: number): Promise<{ stop: () => Promise<number | null> }> {
  const instructions = DockerfileParser.parse(await readFile(join(ROOT, 'Dockerfile'), 'utf8')).getInstructions();
  const last = instructions.findLast((one) => one.getKeyword() === 'CMD')!;
  const command = JSON.parse(last.getArgumentsContent()!) as string[];
  const child = spawn(
    'buildah',
    [...storage(), 'run', '--isolation', 'chroot', '--env', `PORT=${port}`, container, '--', ...command],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise<number | null>((end) => child.once('close', end));
  let output = '';
  await new Promise<void>((ready, reject) => {
    child.stdout.on('data', (text) => {
      output += text;
      if (output.includes('ready at')) ready();
    });
    void ended.then(() => reject(new Error(`the container ended: ${output}`)));
  });
  // An engine sends signals to the service, but `buildah` does not forward them.
  const service = (await serviceIn(child.pid!))!;
  onTestFinished(() => {
    if (child.exitCode === null) process.kill(service, 'SIGKILL');
  });
  return {
    stop: async () => {
      process.kill(service, 'SIGTERM');
      return ended;
    },
  };
}

/** The first descendant that runs Node.js. */
async function serviceIn(pid: number): Promise<number | undefined> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
  if (/^[^\0]*\bnode\0/.test(command)) return pid;
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const children = await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8');
    for (const child of children.trim().split(' ').filter(Boolean)) {
      const found = await serviceIn(Number(child));
      if (found) return found;
    }
  }
  return undefined;
}

describe.skipIf(!hasEngine)('the image', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-container-'));
    await createBaseImage();
    const local = ['--build-arg', 'NODE=local', '--pull-never', '--isolation', 'chroot', '--network', 'host'];
    await buildah('build', ...local, '--layers=false', '--tag', 'atrium:test', '.');
  }, 1_800_000);
  afterAll(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test('runs the service with its pages as the user node, stops on SIGTERM, and keeps its data', async () => {
    const container = await buildah('from', '--pull-never', 'atrium:test');
    const config = JSON.parse(await buildah('inspect', container)).OCIv1.config;
    expect(config).toMatchObject({ User: 'node', WorkingDir: '/app', Volumes: { '/data': {} }, StopSignal: 'SIGTERM' });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const first = await start(container, port);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    for (const page of ['/', '/console/', '/guides', '/graphql'])
      expect([page, (await fetch(url + page, { headers: { accept: 'text/html' } })).status]).toEqual([page, 200]);
    const owner = ['run', '--isolation', 'chroot', container, '--', 'stat', '--format=%U', '/data/postgres'];
    expect(await buildah(...owner)).toBe('node');
    expect(await first.stop()).toBe(0);

    const again = await start(container, port);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await again.stop()).toBe(0);
  });
});
