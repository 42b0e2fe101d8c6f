// The server of the project: the page at /, and Atrium at /backend. `--dev` serves the sources of the page with Vite.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAtrium } from 'atrium';
import express from 'express';
import { createClasses } from './scripts/classes.mjs';
import { writeTypes } from './scripts/write-types.mjs';

const BACKEND = '/backend';

/** @param port 0 selects a free port. @param consolePort the console is off without it */
export async function startServer({
  port = 3000,
  host = '127.0.0.1',
  dataDir = './data',
  consolePort,
  isDevelopment = false,
} = {}) {
  const app = express();
  const server = createServer(app);
  server.listen(port, host);
  await once(server, 'listening');
  const url = process.env.PUBLIC_URL ?? `http://${host}:${server.address().port}`;

  const atrium = createAtrium({
    publicUrl: url + BACKEND,
    dataDir,
    databaseUrl: process.env.DATABASE_URL,
    trustProxy: process.env.TRUST_PROXY || undefined,
    consolePort,
    consoleOrigin: process.env.CONSOLE_ORIGIN,
  });
  app.use(BACKEND, atrium.handler);
  server.on('upgrade', (request, socket, head) => {
    // Vite uses its own WebSocket during development.
    if (!atrium.upgrade(request, socket, head) && !isDevelopment) socket.destroy();
  });
  const { consoleUrl } = await atrium.start();
  const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
  await createClasses(url + BACKEND, credentials.apiKey);

  const { applicationId } = credentials;
  app.get('/settings.json', (_request, response) => void response.json({ applicationId }));
  const vite = isDevelopment ? await startVite(server) : undefined;
  app.use(vite ? vite.middlewares : express.static('dist'));

  return {
    url,
    backend: url + BACKEND,
    consoleUrl,
    applicationId,
    apiKey: credentials.apiKey,
    async stop() {
      await vite?.close();
      await atrium.stop();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function startVite(server) {
  const { createServer: createVite } = await import('vite');
  return createVite({ server: { middlewareMode: true, hmr: { server } } });
}

if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) {
  const { PORT, HOST, CONSOLE_PORT } = process.env;
  const isDevelopment = process.argv.includes('--dev');
  const [port, consolePort] = [PORT, CONSOLE_PORT].map((text) => (text === undefined ? undefined : Number(text)));
  const server = await startServer({ port, host: HOST, consolePort, isDevelopment });
  const { url, backend, consoleUrl, apiKey, stop } = server;
  console.log(`page: ${url}\nAtrium: ${backend}/${consoleUrl ? `\nconsole: ${consoleUrl}` : ''}`);
  if (isDevelopment) void writeTypes(backend, apiKey);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().then(() => process.exit(0)));
}
