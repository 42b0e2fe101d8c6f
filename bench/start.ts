import { join } from 'node:path';
import { call } from './calls.ts';
import type { Comparison, Figures } from './comparison.ts';
import type { Environment } from './environment.ts';
import { barePackages } from './packages.ts';
import { type Started, startNode } from './processes.ts';
import { startService } from './service.ts';

export async function start({ databaseUrl, folder, cleanup }: Environment): Promise<Comparison[]> {
  const home = { databaseUrl, dataDir: join(folder, 'start') };
  const bare = barePackages();
  return [
    {
      name: 'cold start to the first answer',
      service: () => timed(() => startService(home, cleanup), '/account_settings.json'),
      bare: () => timed(() => startNode(bare, { env: { NODE_ENV: 'production' }, cleanup }), '/'),
      note: () => 'cold start – the baseline is a server that imports the same packages that are not bundled',
    },
  ];
}

async function timed(begin: () => Promise<Started>, path: string): Promise<Figures> {
  const began = performance.now();
  const { url, stop } = await begin();
  await call(url + path, 200, {});
  const ms = performance.now() - began;
  await stop();
  return { ms };
}
