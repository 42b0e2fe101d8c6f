import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import type { UploadSettings } from './bare/upload.ts';
import { call, forEach, tokenHeader } from './calls.ts';
import type { Comparison, Figures } from './comparison.ts';
import type { Environment } from './environment.ts';
import { startScript } from './processes.ts';

const FILE_BYTES = 32 * 1024 * 1024;
const CONNECTIONS = 2;
const BOUNDARY = 'bench';

interface Place {
  url: string;
  headers: Record<string, string>;
  body: Buffer[];
}

/** Both sides flush to disk before they respond. */
export async function upload(environment: Environment): Promise<Comparison[]> {
  const { serviceUrl, people, folder, cleanup, seconds } = environment;
  const settings: UploadSettings = { folder: join(folder, 'bare-files') };
  const bare = await startScript(new URL('./bare/upload.ts', import.meta.url), settings, cleanup);
  const bytes = randomBytes(FILE_BYTES);
  const headers = tokenHeader(people[0]!);

  const json = { blob: { name: 'bench.bin', content_type: 'application/octet-stream', public: true } };
  const makeBlob = async () =>
    JSON.parse(await call(`${serviceUrl}/blobs`, 201, { method: 'POST', headers, json })).blob as Blob;
  const places: Place[] = [];
  for (let made = 0; made < CONNECTIONS; made++) places.push(formOf(await makeBlob(), bytes));
  const barePlaces = places.map((_, index) => ({ url: `${bare.url}/${index}`, headers: {}, body: [bytes] }));

  const stored = await makeBlob();
  await send(formOf(stored, bytes));
  await call(`${serviceUrl}/blobs/${stored.id}/complete`, 200, { method: 'PUT', headers });
  await send({ url: `${bare.url}/stored`, headers: {}, body: [bytes] });
  const md5 = createHash('md5').update(bytes).digest('hex');
  const urls = [`${serviceUrl}/blobs/${stored.uid}`, `${bare.url}/stored`] as const;
  for (const url of urls)
    if ((await load(url, true)) !== md5) throw new Error(`${url}: the content differs from the stored file`);

  return [
    {
      name: 'upload',
      service: () => timed(seconds, places, send),
      bare: () => timed(seconds, barePlaces, send),
    },
    {
      name: 'download',
      service: () => timed(seconds, Array(CONNECTIONS).fill(urls[0]), (url) => load(url)),
      bare: () => timed(seconds, Array(CONNECTIONS).fill(urls[1]), (url) => load(url)),
    },
  ];
}

interface Blob {
  id: number;
  uid: string;
  blob_object_access: { params: string };
}

/** Valid any number of times until the upload is completed. */
function formOf({ blob_object_access: { params } }: Blob, bytes: Buffer): Place {
  const { origin, pathname, searchParams } = new URL(params);
  const fields = [...searchParams].map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = 'Content-Disposition: form-data; name="file"; filename="bench.bin"';
  return {
    url: origin + pathname,
    headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: [
      Buffer.from(`${fields.join('')}--${BOUNDARY}\r\n${file}\r\n\r\n`),
      bytes,
      Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
    ],
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

async function send({ url, headers, body }: Place): Promise<void> {
  const length = body.reduce((sum, part) => sum + part.length, 0);
  const sent = request(url, { agent, method: 'POST', headers: { ...headers, 'Content-Length': length } });
  for (const part of body) sent.write(part);
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 201) throw new Error(`POST ${url}: ${response.statusCode}`);
}

/** @returns the MD5 of the response, if requested */
async function load(url: string, isHashed = false): Promise<string | undefined> {
  const [response] = (await once(request(url, { agent }).end(), 'response')) as [IncomingMessage];
  const hash = isHashed ? createHash('md5') : undefined;
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    hash?.update(chunk as Buffer);
  }
  if (response.statusCode !== 200 || size !== FILE_BYTES)
    throw new Error(`GET ${url}: ${response.statusCode}, ${size}`);
  return hash?.digest('hex');
}

async function timed<Item>(seconds: number, items: Item[], action: (item: Item) => Promise<unknown>): Promise<Figures> {
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1000;
  let files = 0;
  await forEach(items, items.length, async (item) => {
    do {
      await action(item);
      files++;
    } while (elapsed() < seconds);
  });
  return { 'MiB/s': (files * FILE_BYTES) / 1024 / 1024 / elapsed() };
}
