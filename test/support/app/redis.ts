import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { until } from './until.ts';

/** Path of redis-server; undefined if it is not installed. */
export const REDIS = process.env.PATH?.split(':')
  .map((folder) => `${folder}/redis-server`)
  .find(existsSync);

/** A free port below the ephemeral range, so that no other process receives it in the meantime. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Starts a Redis without persistence. @returns a function that stops it */
export async function startRedis(port: number): Promise<() => Promise<void>> {
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/tmp'];
  const child = spawn(REDIS!, flags, { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await until(() => output.includes('Ready to accept connections') || child.exitCode !== null);
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  };
}
