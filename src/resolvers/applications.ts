import { randomBytes } from 'node:crypto';
import { db } from '../db/client.ts';
import { hashSecret } from '../lib/tokens.ts';

/** What a new application is reached with; key and secret are shown this once. */
export interface ApplicationCredentials {
  applicationId: number;
  authKey: string;
  authSecret: string;
  apiKey: string;
}

export interface NewApplication {
  id?: number;
  name: string;
  authKey?: string;
  authSecret?: string;
  apiKey?: string;
}

/** Keeps two processes that start at the same moment from making two first applications. */
const BOOTSTRAP_LOCK = 7_270_101;

/** Creates the first application of an empty database; does nothing where there is one. */
export function bootstrapApplication(input: NewApplication, now: Date): Promise<ApplicationCredentials | undefined> {
  return db.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${BOOTSTRAP_LOCK})`;
    if ((await transaction.application.count()) > 0) return undefined;

    const authKey = input.authKey ?? randomBytes(15).toString('base64url');
    const authSecret = input.authSecret ?? randomBytes(15).toString('base64url');
    const apiKey = input.apiKey ?? randomBytes(32).toString('base64url');
    const { id } = await transaction.application.create({
      data: { id: input.id, name: input.name, authKey, authSecret, createdAt: now, updatedAt: now },
    });
    await transaction.apiKey.create({
      data: { applicationId: id, name: 'first', keyHash: hashSecret(apiKey), createdAt: now },
    });
    // An id that was chosen must not be handed out again.
    await transaction.$executeRaw`
      SELECT setval(pg_get_serial_sequence('applications', 'id'), (SELECT max(id) FROM applications))`;
    return { applicationId: id, authKey, authSecret, apiKey };
  });
}
