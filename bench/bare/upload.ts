import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { announce, settingsOf } from './settings.ts';

export interface UploadSettings {
  folder: string;
}

const { folder } = await settingsOf<UploadSettings>();
await mkdir(folder, { recursive: true });

/** Flushes an upload to disk before it responds, like the service. */
const server = createServer(async (request, response) => {
  const path = join(folder, request.url!.replaceAll('/', ''));
  if (request.method === 'POST') {
    await pipeline(request, createWriteStream(path, { flush: true }));
    response.writeHead(201).end();
  } else {
    response.writeHead(200);
    await pipeline(createReadStream(path), response).catch(() => {});
  }
});
announce(server);
