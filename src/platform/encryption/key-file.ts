import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY_BYTES, parseEncryptionKey } from './keys.ts';

const NAME = 'encryption.key';

/** Creates the key first if necessary (mode 0600). Concurrent processes get the same key. @throws invalid content */
export async function readKeyFile(folder: string): Promise<Buffer> {
  const file = join(folder, NAME);
  return (await read(file)) ?? make(folder, file);
}

async function read(file: string): Promise<Buffer | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const key = parseEncryptionKey(text.trim());
  if (!key) throw new Error(`${file} does not contain a key of ${KEY_BYTES} bytes`);
  return key;
}

async function make(folder: string, file: string): Promise<Buffer> {
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.${NAME}-${randomUUID()}`);
  try {
    await writeFile(temporary, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
  return (await read(file))!;
}
