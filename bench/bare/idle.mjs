import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

// Holds idle sockets. Plain JavaScript for the reason in `report-memory.mjs`.
process.on('disconnect', () => process.exit());
const server = createServer();
new WebSocketServer({ server, perMessageDeflate: false });
server.listen({ port: 0, host: '127.0.0.1', backlog: 8_192 }, () =>
  process.stdout.write(`ready at http://127.0.0.1:${server.address().port}\n`),
);
