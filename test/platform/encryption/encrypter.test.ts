import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DecryptionError, Encrypter } from '../../../src/platform/encryption/encrypter.ts';
import { readKeyFile } from '../../../src/platform/encryption/key-file.ts';

const encrypter = new Encrypter(Buffer.alloc(32, 1));

test.each(['', 'secret', 'é😀\0', 'x'.repeat(100_000)])('a ciphertext decrypts with its additional data', (text) => {
  expect(encrypter.decrypt(encrypter.encrypt(text, 'place/1'), 'place/1')).toBe(text);
});

test('encrypting the same text twice yields different ciphertexts without the plaintext', () => {
  const sealed = encrypter.encrypt('a secret of somebody', 'p');
  expect(sealed).not.toBe(encrypter.encrypt('a secret of somebody', 'p'));
  expect(Buffer.from(sealed.slice(3), 'base64url').includes('secret')).toBe(false);
});

test('a ciphertext does not decrypt with other additional data, another key or a changed bit', () => {
  const sealed = encrypter.encrypt('secret', 'place/1');
  expect(() => encrypter.decrypt(sealed, 'place/2')).toThrow(DecryptionError);
  expect(() => new Encrypter(Buffer.alloc(32, 2)).decrypt(sealed, 'place/1')).toThrow(DecryptionError);
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  for (let place = 0; place < bytes.length; place++) {
    const changed = Buffer.from(bytes);
    changed[place]! ^= 1;
    expect(() => encrypter.decrypt(`v1.${changed.toString('base64url')}`, 'place/1')).toThrow(DecryptionError);
  }
  for (const odd of ['', 'v1.', 'v1.AAAA', 'secret', sealed.slice(3)]) {
    expect(() => encrypter.decrypt(odd, 'place/1')).toThrow(DecryptionError);
  }
});

test('a key must have 32 bytes', () => {
  expect(() => new Encrypter(Buffer.alloc(31))).toThrow('32 bytes');
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'atrium-key-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

test('concurrent starts create one key file, readable only by its owner', async () => {
  const home = join(await folder(), 'data');
  const keys = await Promise.all(Array.from({ length: 20 }, () => readKeyFile(home)));
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  expect((await readKeyFile(home)).equals(keys[0]!)).toBe(true);
  const file = join(home, 'encryption.key');
  expect(await readFile(file, 'utf8')).toBe(`${keys[0]!.toString('hex')}\n`);
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('an invalid key file is not replaced', async () => {
  const home = await folder();
  await writeFile(join(home, 'encryption.key'), 'x');
  await expect(readKeyFile(home)).rejects.toThrow('does not contain a key of 32 bytes');
  expect(await readFile(join(home, 'encryption.key'), 'utf8')).toBe('x');
});
