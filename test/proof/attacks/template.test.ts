import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../support/app/bundle.ts';
import { program } from '../../support/app/compiled-source.ts';
import { createDatabase } from '../../support/app/database.ts';
import { createDataDir, exitCode } from '../../support/app/service.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const MODULE = '{ "type": "module", "exports": "./index.js" }';

/** A project of `npm create atrium` with the packages of this repository. */
async function createProject(): Promise<string> {
  const { dataDir: folder, remove } = await createDataDir();
  onTestFinished(remove);
  const project = join(folder, 'my-chat');
  execFileSync(process.execPath, [join(ROOT, 'packages/create-atrium/index.mjs'), project]);
  const packages = {
    atrium: `export * from '${pathToFileURL(program('index'))}';`,
    '@atrium/client': await bundle("export * from '@atrium/client';", 'node'),
  };
  for (const [name, source] of Object.entries(packages)) {
    const place = join(project, 'node_modules', name);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'package.json'), MODULE);
    await writeFile(join(place, 'index.js'), source);
  }
  for (const name of ['express', 'vite'])
    await symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  // Types are written by the package of the client.
  const types = join(project, 'node_modules/.bin/atrium-types');
  await mkdir(join(types, '..'));
  await writeFile(types, '#!/usr/bin/env node\n');
  await chmod(types, 0o755);
  return project;
}

async function launch(cwd: string, args: string[], settings: Record<string, string>) {
  const database = await createDatabase();
  const { NODE_ENV: _, VITEST: __, ...inherited } = process.env;
  const env = { ...inherited, DATABASE_URL: database.config.connectionString!, PORT: '0', ...settings };
  const child = spawn(process.execPath, ['server.mjs', ...args], { cwd, env });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exitCode(child);
    await database.drop();
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return { child, output: () => output };
}

async function startServer(cwd: string, args: string[], settings: Record<string, string> = {}): Promise<string> {
  const { child, output } = await launch(cwd, args, settings);
  for (;;) {
    const url = /page: (\S+)\n/.exec(output())?.[1];
    if (url) return url;
    if (child.exitCode !== null) throw new Error(`it did not start:\n${output()}`);
    await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
  }
}

describe('#75 projects of create-atrium', () => {
  test('the development server serves the page and its packages, but neither data nor other files of the project', async () => {
    const project = await createProject();
    const url = await startServer(project, ['--dev']);
    const { apiKey } = JSON.parse(await readFile(join(project, 'data/credentials.json'), 'utf8'));
    for (const file of ['data/credentials.json', 'data/encryption.key', 'server.mjs']) {
      for (const query of ['', '?raw', '?url', '?import', '?import&raw', '?raw??', '?inline']) {
        const response = await fetch(`${url}/@fs${join(project, file)}${query}`);
        const text = await response.text();
        expect([file, query, response.ok && !text.startsWith('<!doctype')]).toEqual([file, query, false]);
        expect(text).not.toContain(apiKey);
      }
    }
    const page = await fetch(`${url}/atrium.ts`, { headers: { Origin: 'http://localhost:5173' } });
    expect(page.headers.get('Access-Control-Allow-Origin')).toBeNull();
    const [, client] = /from "([^"]+client[^"]+)"/.exec(await page.text())!;
    expect((await fetch(url + client)).status).toBe(200);
  });

  test('TRUST_PROXY separates the clients behind a proxy, and must be a number of proxies', async () => {
    const project = await createProject();
    const url = await startServer(project, [], { TRUST_PROXY: '1' });
    const signIn = async (client: string) => {
      const headers = { 'X-Forwarded-For': client };
      const body = new URLSearchParams({ application_id: '1', 'user[login]': 'a', 'user[password]': 'wrong-horse' });
      return (await fetch(`${url}/backend/session`, { method: 'POST', headers, body })).status;
    };
    while ((await signIn('203.0.113.1')) !== 429);
    expect(await signIn('203.0.113.2')).toBe(401);

    const { child, output } = await launch(project, [], { TRUST_PROXY: 'all' });
    expect(await exitCode(child)).toBe(1);
    expect(output()).toContain('must be off or a number from 0 to 100');
  });
});
