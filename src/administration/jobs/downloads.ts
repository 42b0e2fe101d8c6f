import { randomBytes } from 'node:crypto';
import type { AdministratorContext, Services } from '../../context.ts';
import { queryAs } from '../../db/query.ts';
import { transact } from '../../db/transact.ts';
import { hasRole, jobOwnerOf } from '../../lib/access.ts';
import { NotFoundError, ServiceUnavailableError } from '../../lib/errors.ts';
import { MINUTE } from '../../lib/time.ts';
import { applicationOfToken, hashSecret, SESSION_TOKEN_BYTES, sessionToken } from '../../lib/tokens.ts';
import { selectedApplication } from '../../resolvers/applications/delete.ts';
import { findIdentity } from '../administrators/sessions.ts';
import { type ExportResult, findJob, isStored, type Job, partKeys } from './rows.ts';

/** Begin of the download; it may last longer. */
const TICKET_LIFETIME_MS = MINUTE;

export const BACKUP_PATH = '/console/backups';

export interface DownloadTicket {
  /** Relative to the address of the service. */
  path: string;
  expiresAt: Date;
}

/** A download link carries a one-time ticket, because browsers cannot send headers with it. @throws {NotFoundError} */
export async function createBackupDownload(id: string, { viewer, now }: AdministratorContext): Promise<DownloadTicket> {
  const applicationId = selectedApplication(viewer);
  const { id: administratorId, sessionId } = viewer.administrator;
  await findStored(applicationId, id);
  const ticket = sessionToken(applicationId, randomBytes(SESSION_TOKEN_BYTES));
  const expiresAt = new Date(now().getTime() + TICKET_LIFETIME_MS);
  const data = { applicationId, tokenHash: hashSecret(ticket), jobId: id, administratorId, sessionId, expiresAt };
  await transact(jobOwnerOf({ ...viewer, applicationId }), (transaction) =>
    transaction.backupDownload.create({ data }),
  );
  return { path: `${BACKUP_PATH}/${ticket}`, expiresAt };
}

export interface OpenedBackup {
  name: string;
  bytes: number;
  content: AsyncIterable<Buffer>;
}

interface Visitor {
  ticket: string;
  /** Of the cookie. */
  token: string | undefined;
  network: string;
}

const DENIED = () => new NotFoundError('DOWNLOAD_EXPIRED');

/**
 * Uses up the ticket. @throws {NotFoundError} the ticket is unknown, expired, used or of another session, the session
 * has ended, or the administrator is no longer an owner {ServiceUnavailableError}
 */
export async function openBackup({ ticket, token, network }: Visitor, services: Services): Promise<OpenedBackup> {
  const applicationId = applicationOfToken(ticket);
  const identity = token === undefined ? undefined : await findIdentity(token, services);
  if (applicationId === undefined || !identity || !hasRole(identity, ['owner'], applicationId)) throw DENIED();
  const at = services.now();
  const run = queryAs({ kind: 'administrator', id: identity.id, network });
  const [used] = await run<{ jobId: string }>`
    UPDATE backup_downloads d SET used_at = ${at}
    WHERE d.application_id = ${applicationId} AND d.token_hash = ${hashSecret(ticket)}
      AND d.session_id = ${identity.sessionId} AND d.used_at IS NULL AND d.expires_at > ${at}
    RETURNING d.job_id AS "jobId"`;
  if (!used) throw DENIED();
  const job = await findStored(applicationId, used.jobId);
  const [first, ...others] = partKeys(job);
  const opened = await services.storage.get(first!.key);
  if (!opened) throw new ServiceUnavailableError();
  return {
    name: `application-${applicationId}-${job.createdAt.toISOString().slice(0, 10)}.tar.gz`,
    bytes: (job.result as ExportResult).bytes,
    content: joined(
      opened.stream,
      others.map(({ key }) => key),
      services,
    ),
  };
}

async function* joined(
  first: AsyncIterable<Buffer>,
  keys: readonly string[],
  { storage }: Pick<Services, 'storage'>,
): AsyncGenerator<Buffer> {
  yield* first;
  for (const key of keys) {
    const part = await storage.get(key);
    if (!part) throw new ServiceUnavailableError();
    yield* part.stream as AsyncIterable<Buffer>;
  }
}

async function findStored(applicationId: number, id: string): Promise<Job> {
  const job = await findJob(applicationId, id);
  if (!isStored(job)) throw new NotFoundError('ARCHIVE_NOT_FOUND');
  return job;
}
