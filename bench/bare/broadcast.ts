import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { announce, settingsOf } from './settings.ts';

/** The text is replaced by that of each message. */
export interface BroadcastSettings {
  frame: string;
  text: string;
  /** Undefined: any. */
  port?: number | undefined;
}

const { frame, text, port } = await settingsOf<BroadcastSettings>();
const [before, after] = frame.split(text) as [string, string];

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    if (request.method === 'GET') return response.end('{}');
    const sent = before + JSON.parse(body).message + after;
    for (const socket of sockets.clients) socket.send(sent);
    response.writeHead(201, { 'Content-Length': 0 });
    return response.end();
  });
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
announce(server, port);
