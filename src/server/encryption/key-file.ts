import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY_BYTES, parseEncryptionKey } from './keys.ts';

const NAME = 'encryption.key';

/**
 * The key in `folder`, made on the first call (mode 0600). Several processes may call at once: they all get the same.
 * @throws the file holds no key
 */
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
  if (!key) throw new Error(`${file} holds no key of ${KEY_BYTES} bytes`);
  return key;
}

/** Complete from the moment it has its name; whoever comes second takes what is there. */
async function make(folder: string, file: string): Promise<Buffer> {
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, `.${NAME}-${randomUUID()}`);
  try {
    await writeFile(unfinished, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
    await link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(unfinished, { force: true });
  }
  return (await read(file))!;
}
