// Atrium below /backend of a plain server of Node.js: node examples/embedded/node.mjs
import { createServer } from 'node:http';
import { createAtrium } from 'atrium';

const { PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}`, DATA_DIR = './data', DATABASE_URL } = process.env;

const atrium = createAtrium({
  publicUrl: `${PUBLIC_URL}/backend`,
  dataDir: DATA_DIR,
  databaseUrl: DATABASE_URL,
});

const server = createServer((request, response) => {
  atrium.handler(request, response, () => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ hello: 'world' }));
  });
});
server.on('upgrade', (request, socket, head) => {
  if (!atrium.upgrade(request, socket, head)) socket.destroy();
});

await atrium.start();
server.listen(Number(PORT), '127.0.0.1', () => console.log(`ready at ${PUBLIC_URL}`));

process.once('SIGTERM', async () => {
  await atrium.stop();
  server.close();
  server.closeAllConnections();
});
