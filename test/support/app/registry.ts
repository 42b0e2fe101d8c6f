import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { installTools } from '../../../scripts/tools.ts';
import { freePort } from './redis.ts';
import { exitCode } from './service.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../../..');

export interface Registry {
  /** Makes npm use it, in a child process. */
  env: Record<string, string>;
  publish: (tarball: string) => Promise<void>;
  stop: () => Promise<void>;
}

/** Undefined: the ordinary registry answers. Otherwise the reason why it does not. */
export async function registryProblem(): Promise<string | undefined> {
  try {
    await run('npm', ['ping', '--fetch-timeout=10000', '--fetch-retries=0'], { cwd: tmpdir() });
    return undefined;
  } catch (error) {
    return (error as { stderr: string }).stderr.trim().split('\n').at(-1);
  }
}

/** A registry on the loopback interface with the packages of this repository; others come from the ordinary one. */
export async function startRegistry(): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-registry-'));
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: tmpdir() });
  const port = await freePort();
  const open = { access: '$all', publish: '$all', unpublish: '$all' };
  const config = {
    storage: join(folder, 'storage'),
    uplinks: { ordinary: { url: stdout.trim(), timeout: '60s', maxage: '1h' } },
    packages: {
      '{atrium,create-atrium,@atrium/*}': open,
      '**': { ...open, proxy: 'ordinary' },
    },
    max_body_size: '50mb',
    web: { enable: false },
    log: { type: 'stdout', format: 'json', level: 'error' },
  };
  // JSON is YAML.
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
  // npm requires a token, and the registry accepts any.
  await writeFile(join(folder, 'npmrc'), `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=any\n`);
  const verdaccio = join(installTools('registry'), 'node_modules/verdaccio/bin/verdaccio');
  const server = spawn(
    process.execPath,
    [verdaccio, '--config', join(folder, 'config.yaml'), '--listen', `127.0.0.1:${port}`],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await until(async () => (await fetch(`http://127.0.0.1:${port}/-/ping`).catch(() => undefined))?.ok === true);
  const env = {
    npm_config_userconfig: join(folder, 'npmrc'),
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
  return {
    env,
    publish: async (tarball) => {
      await run('npm', ['publish', tarball], { cwd: ROOT, env: { ...process.env, ...env } });
    },
    stop: async () => {
      server.kill();
      await exitCode(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
