import { beforeAll } from 'vitest';
import { db } from '../../src/db/client.ts';
import { sign } from '../../src/lib/signature.ts';
import { hashPassword } from '../../src/resolvers/users/passwords.ts';
import { APPLICATION, SAMPLE_TIME } from './app.ts';
import { openSession } from './users.ts';
import { expectCommonHeaders, FORM, JSON_TYPE, MULTIPART, type WireAnswer, wire } from './wire.ts';

// What real clients send, byte by byte (gaps §20).

/** Of every user of the samples. */
const PASSWORD = '12345678';
const KEYS = 'application_id=92&auth_key=AUTHKEY';

/** The moment of the samples, as answers show it. */
export const AT = '2026-11-20T17:46:59Z';

/** The token of user 7, whose samples these are. */
let token: string;

/** What the samples call by capital letters, as far as it has been made. */
export const real: Record<string, string> = {};

/** The users 7, 8 and 9; those who sign up later are 101 and on. */
export function useSampleUsers(): void {
  beforeAll(async () => {
    const passwordHash = await hashPassword(PASSWORD);
    const at = { createdAt: SAMPLE_TIME, updatedAt: SAMPLE_TIME };
    const users = [7, 8, 9].map((id) => ({ id, login: `user-${id}`, loginKey: `user-${id}` }));
    const [seven, ...others] = users.map((user) => ({ ...user, applicationId: APPLICATION.id, passwordHash, ...at }));
    await db.user.createMany({ data: [{ ...seven!, email: 'a+b@x.io' }, ...others] });
    await db.$executeRaw`SELECT setval(pg_get_serial_sequence('users', 'id'), 100)`;
    ({ token } = await openSession({ login: 'user-7', password: PASSWORD }));
    real.TOKEN = token;
  });
}

/**
 * Sends a sample as it stands in the contract, `F`orm, `J`SON or `M`ultipart, with the token of user 7.
 * `SIG` becomes the signature of the pairs beside it.
 */
export async function replay(
  method: string,
  path: string,
  type?: 'F' | 'J' | 'M',
  body?: string,
  headers: Record<string, string> = { 'SVC-Token': token },
): Promise<WireAnswer> {
  const answer = await replayBare(method, path, type, body, headers);
  expectCommonHeaders(answer);
  return answer;
}

/** The same for answers that are neither JSON nor empty. */
export function replayBare(
  method: string,
  path: string,
  type?: 'F' | 'J' | 'M',
  body?: string,
  headers: Record<string, string> = { 'SVC-Token': token },
): Promise<WireAnswer> {
  const types = { F: FORM, J: JSON_TYPE, M: MULTIPART };
  return wire(method, filled(path), {
    headers: { ...headers, ...(type ? { 'Content-Type': types[type] } : {}) },
    body: body === undefined ? undefined : filled(body).replace('SIG', () => signatureOf(filled(body))),
  });
}

/** A text of the samples with what is real in place of capital letters. */
export function filled(text: string): string {
  return text.replaceAll('KEYS', KEYS).replace(/DIALOG|MSG|REC|UID|TOKEN/g, (name) => real[name] ?? name);
}

function signatureOf(form: string): string {
  const pairs = [...new URLSearchParams(form)].filter(([name]) => name !== 'signature');
  return sign(pairs, APPLICATION.authSecret, 'sha1');
}

export function json({ text }: WireAnswer) {
  return JSON.parse(text);
}

/** Status and body, which is what most samples tell. */
export function outcome({ status, text }: WireAnswer): [status: number, body: unknown] {
  return [status, text === '' ? '' : JSON.parse(text)];
}
