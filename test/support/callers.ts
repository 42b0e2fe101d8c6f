import { randomBytes } from 'node:crypto';
import { db } from '../../src/db/client.ts';
import { hashSecret, SESSION_TOKEN_BYTES, sessionToken } from '../../src/lib/tokens.ts';
import { APPLICATION, running } from './app.ts';
import type { Caller } from './users.ts';

/** Callers that are written into the database, so that making them is no request that rate limits would count. */

/** A new user's id. */
export async function insertUser(): Promise<number> {
  const at = running.now();
  const { id } = await db.user.create({ data: { applicationId: APPLICATION.id, createdAt: at, updatedAt: at } });
  return id;
}

/** A new session of that user, or of the application. */
export async function insertSession(userId: number | null): Promise<Caller> {
  const at = running.now();
  const token = sessionToken(APPLICATION.id, randomBytes(SESSION_TOKEN_BYTES));
  await db.session.create({
    data: {
      applicationId: APPLICATION.id,
      userId,
      tokenHash: hashSecret(token),
      nonce: 1,
      timestamp: 1,
      createdAt: at,
      updatedAt: at,
    },
  });
  return { headers: { 'SVC-Token': token } };
}

/** A new API key. */
export async function insertKey(): Promise<Caller> {
  const secret = randomBytes(16).toString('hex');
  const data = { applicationId: APPLICATION.id, name: 'more', keyHash: hashSecret(secret), createdAt: running.now() };
  await db.apiKey.create({ data });
  return { headers: { Authorization: `ApiKey ${secret}` } };
}

let clients = 0;

/** A client that nobody has heard of, behind one proxy. */
export function newClient(): Caller {
  clients++;
  return { headers: { 'X-Forwarded-For': `192.0.2.${clients}` } };
}

/** One caller with the headers of all. */
export function together(...callers: Caller[]): Caller {
  return { headers: Object.assign({}, ...callers.map(({ headers }) => headers)) };
}
