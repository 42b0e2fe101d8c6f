import { randomBytes } from 'node:crypto';
import { jobOf } from '../../administration/administrators/rows.ts';
import type { Services } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import { fromEachShard, fromReachable, onShardOf } from '../../db/shards.ts';
import { BACKGROUND, OPERATOR_JOBS, transact } from '../../db/transact.ts';
import type { AdministratorViewer } from '../../lib/access.ts';
import { InvalidFieldsError, requireNone } from '../../lib/errors.ts';
import type { FairnessPath } from '../../lib/semaphore.ts';
import { hashSecret, isDatabaseId } from '../../lib/tokens.ts';
import { randomApiKey } from './api-keys.ts';
import { problemsOf } from './rules.ts';
import { randomAuthSecret } from './secret.ts';

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
  /** Default false. */
  publicSignIn?: boolean;
}

/** Serializes creations, so that there is one first application and no id is used twice. */
const CREATION_LOCK = 7_270_101;

/** Does nothing unless the database is empty. @param keep receives the secrets before the commit; may reject */
export async function bootstrapApplication(
  input: NewApplication,
  now: Date,
  keep: (credentials: ApplicationCredentials) => Promise<void> = async () => {},
): Promise<ApplicationCredentials | undefined> {
  const isAny = (ids: unknown[]) => ids.length > 0;
  if (isAny(await fromReachable(() => db.application.findMany({ select: { id: true }, take: 1 }), isAny)))
    return undefined;
  return inTurn(BACKGROUND, input.id ?? 1, async (transaction) => {
    if ((await transaction.application.count()) > 0) return undefined;
    const credentials = await storeApplication(transaction, input, now);
    await keep(credentials);
    return credentials;
  });
}

/** @param viewer undefined for the operator @throws {InvalidFieldsError} */
export async function createApplication(
  { id, name }: Pick<NewApplication, 'id' | 'name'>,
  { now }: Pick<Services, 'now'>,
  viewer?: AdministratorViewer,
): Promise<ApplicationCredentials> {
  const problems = await problemsOf({ name });
  if (id !== undefined && !isDatabaseId(id)) problems.id = ['ID_OUT_OF_RANGE'];
  requireNone(problems);
  const chosen = id ?? (await nextId());
  const created = await inTurn(viewer ? jobOf(viewer) : OPERATOR_JOBS, chosen, async (transaction) => {
    const isTaken = (await transaction.application.count({ where: { id: chosen } })) > 0;
    if (isTaken && id !== undefined) throw new InvalidFieldsError({ id: ['TAKEN'] });
    return isTaken ? undefined : storeApplication(transaction, { id: chosen, name: name.trim() }, now());
  });
  return created ?? createApplication({ id, name }, { now }, viewer);
}

/** Above all ids of all servers. */
export async function nextId(): Promise<number> {
  const [{ id }] = (await query`SELECT nextval(pg_get_serial_sequence('applications', 'id'))::int AS id`) as [
    { id: number },
  ];
  const ids = await fromEachShard(() => query<{ id: number | null }>`SELECT max(id) AS id FROM applications`);
  return Math.max(id, ...ids.map((row) => (row.id ?? 0) + 1));
}

function inTurn<Result>(
  owner: FairnessPath,
  applicationId: number,
  create: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return onShardOf(applicationId, () =>
    transact(owner, async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${CREATION_LOCK})`;
      return create(transaction);
    }),
  );
}

/** Stricter than the column defaults, which imported applications keep because the legacy contract documents them. */
const SAFE_SETTINGS = { groups: 'granted', filesByNumber: 'owner' } as const;

async function storeApplication(
  transaction: Transaction,
  { id: wanted, name, publicSignIn, ...given }: NewApplication,
  now: Date,
): Promise<ApplicationCredentials> {
  const authKey = given.authKey ?? randomBytes(15).toString('base64url');
  const authSecret = given.authSecret ?? randomAuthSecret();
  const apiKey = given.apiKey ?? randomApiKey();
  const { id } = await transaction.application.create({
    data: { id: wanted, name, authKey, authSecret, publicSignIn, ...SAFE_SETTINGS, createdAt: now, updatedAt: now },
  });
  await transaction.apiKey.create({
    data: { applicationId: id, name: 'first', keyHash: hashSecret(apiKey), createdAt: now },
  });
  await transaction.$executeRaw`
    SELECT setval(pg_get_serial_sequence('applications', 'id'), (SELECT max(id) FROM applications))`;
  return { applicationId: id, authKey, authSecret, apiKey };
}
