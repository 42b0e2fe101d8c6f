import { pbkdf2Sync, scryptSync } from 'node:crypto';
import { bcrypt } from 'hash-wasm';
import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { execute, reasonOf } from '../../support/fixtures/chat.ts';
import { apiKey, createUser, openSession } from '../../support/fixtures/users.ts';

useApp();

const CREATE = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }';
const SET = 'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { id } }';
const PASSWORD = 'Grüße aus 1999';

const salt = Buffer.from('0123456789abcdef');
const phc = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
const passlib = (bytes: Buffer) => phc(bytes).replaceAll('+', '.');
const pbkdf2 = (digest: string, length: number) => pbkdf2Sync(PASSWORD, salt, 1000, length, digest);

let number = 0;
const create = (passwordHash: string, more: object = {}) => ({
  input: { login: `imported${++number}`, passwordHash, ...more },
});

describe('hashes of another system', () => {
  test.each<[string, () => string | Promise<string>]>([
    ['bcrypt', () => bcrypt({ password: PASSWORD, salt, costFactor: 5, outputType: 'encoded' })],
    [
      'scrypt',
      () => `$scrypt$ln=10,r=8,p=1$${phc(salt)}$${phc(scryptSync(PASSWORD, salt, 32, { N: 1024, r: 8, p: 1 }))}`,
    ],
    ['PBKDF2 in PHC form', () => `$pbkdf2-sha256$i=1000$${phc(salt)}$${phc(pbkdf2('sha256', 32))}`],
    ['PBKDF2 of passlib', () => `$pbkdf2-sha512$1000$${passlib(salt)}$${passlib(pbkdf2('sha512', 64))}`],
    ['PBKDF2 of Django', () => `pbkdf2_sha256$1000$${salt}$${pbkdf2('sha256', 32).toString('base64')}`],
  ])('a user imported with %s signs in once with the old hash, which is replaced', async (_name, hashed) => {
    const imported = create(await hashed());
    const { login } = imported.input;
    const { createUser: user } = await execute(CREATE, imported, apiKey);
    await expect(openSession({ login, password: 'Gruesse aus 1999' })).rejects.toThrow('401');
    const stored = () =>
      db.user.findUniqueOrThrow({ where: { applicationId_id: { applicationId: APPLICATION.id, id: user.id } } });
    expect((await stored()).passwordHash).toBe(imported.input.passwordHash);
    await openSession({ login, password: PASSWORD });
    const { passwordHash } = await stored();
    expect(passwordHash).toMatch(/^\$argon2id\$/);
    await openSession({ login, password: PASSWORD });
    expect((await stored()).passwordHash).toBe(passwordHash);
  });

  test.each([
    ['md5', '$1$12345678$0123456789012345678901'],
    ['a bcrypt cost that blocks the service', `$2b$31$${'a'.repeat(53)}`],
    ['an scrypt cost that fills the memory', `$scrypt$ln=30,r=8,p=1$${phc(salt)}$${phc(salt)}`],
    ['a count of PBKDF2 without end', `$pbkdf2-sha256$i=9999999$${phc(salt)}$${phc(salt)}`],
    ['an argon2id cost that fills the memory', '$argon2id$v=19$m=999999,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g'],
    ['plain text', PASSWORD],
    ['an empty text', ''],
  ])('%s is refused as hash', async (_name, passwordHash) => {
    expect(await reasonOf(CREATE, create(passwordHash), apiKey)).toBe('PASSWORD_HASH_UNKNOWN');
  });

  test('only API keys import hashes, and not with a password', async () => {
    const hash = `$pbkdf2-sha256$i=1000$${phc(salt)}$${phc(pbkdf2('sha256', 32))}`;
    expect(await reasonOf(CREATE, create(hash, { password: 'password-1' }), apiKey)).toBe('PASSWORD_AND_HASH');
    expect(await reasonOf(CREATE, create(hash), await createUser())).toBe('OPERATION_FORBIDDEN');
    expect(await reasonOf(CREATE, create(hash), await openSession())).toBe('OPERATION_FORBIDDEN');
  });
});

describe('strict passwords', () => {
  const UPDATE = 'mutation ($id: Int!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }';

  test.each([
    ['password-1', undefined],
    ['short-one', 'TOO_SHORT'],
    ['Passw0rd123', undefined],
    ['basketball', 'PASSWORD_COMMON'],
    ['BASKETBALL', 'PASSWORD_COMMON'],
    ['abcabcabcabc', 'PASSWORD_COMMON'],
    ['my Strict1-secret', 'PASSWORD_HAS_NAME'],
    ['a local.part of it', 'PASSWORD_HAS_NAME'],
    ['two\u0007parts-of-it', 'CONTROL_CHARACTERS'],
    ['pass phrase with spaces and ünïcode', undefined],
    ['x'.repeat(20).concat(' and so on ').repeat(5), 'TOO_LONG'],
  ])('%j is refused with %s', async (password, reason) => {
    const login = password.includes('Strict1') ? 'strict1' : `strict-user${++number}`;
    const plain = await createUser({ login: `${login}${++number}`, email: `local.part@x${number}.io` });
    await execute(SET, { input: { strictPasswords: true } }, apiKey);
    const created = create('', { login, password, passwordHash: null, email: `local.part@y${number}.io` });
    expect(await reasonOf(CREATE, created, apiKey)).toBe(reason);
    const changed = { password, login: `${login}b` };
    expect(await reasonOf(UPDATE, { id: plain.id, input: changed }, apiKey)).toBe(
      password.includes('Strict1') ? undefined : reason,
    );
    await execute(SET, { input: { strictPasswords: false } }, apiKey);
    if (reason === undefined) await openSession({ login: changed.login, password });
  });
});
