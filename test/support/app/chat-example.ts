import { join, resolve } from 'node:path';
import { build, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll } from 'vitest';
import { FaultProxy } from '../faults/fault-proxy.ts';
import { APPLICATION, running } from './app.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../../examples/chat');

export interface ChatExample {
  url: string;
  /** Between the page and the service. */
  network: FaultProxy;
}

/** Builds `examples/chat` and serves it like its own command, in front of the running service. */
export function useChatExample(): ChatExample {
  const example = {} as ChatExample;
  let server: PreviewServer;
  beforeAll(async () => {
    example.network = await FaultProxy.start(running.url);
    process.env.ATRIUM_URL = example.network.url;
    process.env.APPLICATION_ID = String(APPLICATION.id);
    const outDir = join(running.dataDir, 'chat-example');
    const config = { configFile: join(EXAMPLE, 'vite.config.ts'), build: { outDir }, logLevel: 'silent' } as const;
    // Otherwise Vite builds what tests of components need.
    const { NODE_ENV } = process.env;
    process.env.NODE_ENV = 'production';
    await build(config);
    process.env.NODE_ENV = NODE_ENV;
    server = await preview({ ...config, preview: { port: 0, host: '127.0.0.1' } });
    example.url = server.resolvedUrls!.local[0]!;
  });
  afterAll(async () => {
    await server?.close();
    await example.network?.close();
  });
  return example;
}
