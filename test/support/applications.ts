import { beforeAll } from 'vitest';
import { db } from '../../src/db/client.ts';
import { hashSecret } from '../../src/lib/tokens.ts';
import { APPLICATION, running } from './app.ts';
import type { Caller } from './users.ts';

export interface OtherApplication {
  id: number;
  authKey: string;
  authSecret: string;
  key: Caller;
}

/** Gives the sample application the documented behavior, for tests of what migrated applications answer. */
export function useDocumentedBehavior(): void {
  beforeAll(async () => {
    const data = { groups: 'self', filesByNumber: 'session' } as const;
    await db.application.update({ where: { id: APPLICATION.id }, data });
  });
}

/** A further application with an API key of its own, which knows nothing of the first one's rows. */
export async function createOtherApplication(name = 'other'): Promise<OtherApplication> {
  const at = running.now();
  const authKey = `AUTH-${name}`;
  const authSecret = `secret-${name}`;
  const { id } = await db.application.create({ data: { name, authKey, authSecret, createdAt: at, updatedAt: at } });
  await db.apiKey.create({
    data: { applicationId: id, name: 'first', keyHash: hashSecret(`KEY-${name}`), createdAt: at },
  });
  return { id, authKey, authSecret, key: { headers: { Authorization: `ApiKey KEY-${name}` } } };
}
