// Atrium below /backend of an Express application: node examples/embedded/express.mjs
import { createServer } from 'node:http';
import { createAtrium } from 'atrium';
import express from 'express';

const { PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}`, DATA_DIR = './data', DATABASE_URL } = process.env;

const atrium = createAtrium({
  publicUrl: `${PUBLIC_URL}/backend`,
  dataDir: DATA_DIR,
  databaseUrl: DATABASE_URL,
});

const app = express();
app.use('/backend', atrium.handler); // before parsers of bodies
app.use(express.json());
app.get('/hello', (_request, response) => response.json({ hello: 'world' }));

const server = createServer(app);
server.on('upgrade', (request, socket, head) => {
  if (!atrium.upgrade(request, socket, head)) socket.destroy();
});

const { credentials } = await atrium.start();
if (credentials) console.log(`created application ${credentials.applicationId}: see ${DATA_DIR}/credentials.json`);
server.listen(Number(PORT), '127.0.0.1', () => console.log(`ready at ${PUBLIC_URL}`));

process.once('SIGTERM', async () => {
  await atrium.stop();
  server.close();
  server.closeAllConnections();
});
