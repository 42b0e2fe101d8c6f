import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { running } from './app.ts';
import { created } from './stage.ts';
import type { Caller } from './users.ts';
import { type WireAnswer, wire } from './wire.ts';

/** A blob as REST shows it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type ShownBlob = any;

export async function createBlob(as: Caller, fields: Record<string, unknown> = {}): Promise<ShownBlob> {
  const { blob } = await created('/blobs', { blob: { name: 'note.txt', content_type: 'text/plain', ...fields } }, as);
  return blob;
}

/** The form fields that the address of an upload holds. */
export function uploadFields({ blob_object_access: { params } }: ShownBlob): Record<string, string> {
  return Object.fromEntries(new URL(params).searchParams);
}

export interface Sent {
  bytes?: string | Buffer;
  fileName?: string;
  /** Fields that go behind the file. */
  behind?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Uploads as clients do: the fields, the file, and perhaps more fields. */
export function upload(fields: Record<string, string>, { bytes = 'hello', ...more }: Sent = {}): Promise<WireAnswer> {
  const { fileName = 'note.txt', behind = {}, headers = {} } = more;
  return wire('POST', '/uploads', {
    headers: { 'Content-Type': 'multipart/form-data; boundary=B', ...headers },
    body: Buffer.concat([
      Buffer.from(parts(fields)),
      Buffer.from(
        `--B\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: text/plain\r\n\r\n`,
      ),
      Buffer.from(bytes),
      Buffer.from(`\r\n${parts(behind)}--B--\r\n`),
    ]),
  });
}

function parts(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([name, value]) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('');
}

export function complete(as: Caller, { id }: ShownBlob): Promise<WireAnswer> {
  return wire('PUT', `/blobs/${id}/complete`, { as });
}

/** A blob with bytes: made, uploaded and completed. */
export async function storeBlob(
  as: Caller,
  bytes: string | Buffer = 'hello',
  fields: Record<string, unknown> = {},
): Promise<ShownBlob> {
  const blob = await createBlob(as, fields);
  const uploaded = await upload(uploadFields(blob), { bytes });
  if (uploaded.status !== 201) throw new Error(`upload: ${uploaded.status} ${uploaded.text}`);
  const completed = await complete(as, blob);
  if (completed.status !== 200) throw new Error(`complete: ${completed.status} ${completed.text}`);
  return blob;
}

/** The files that the service has on its disk, unfinished ones too. */
export async function storedFiles(): Promise<string[]> {
  const folder = join(running.dataDir, 'files');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
