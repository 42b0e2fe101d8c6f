import { isDriverAdapterError } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { Prisma } from '../generated/prisma/client.ts';

/** Prisma's codes of a database that can't be reached, is too busy, or closed the connection. */
const AWAY = new Set(['P1000', 'P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037']);

/** SQLSTATE classes 08 (connection), 28P (password), 53 (resources), 57P (shutdown), and what the socket itself says. */
const UNAVAILABLE_CAUSE = /^(08|28P|53|57P|ECONN|ENOENT|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT)/;

/** The same of a raw query in a transaction, in the words of the adapter. */
const AWAY_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);

/** What the driver says of a connection that broke in the middle of a query, without any code. */
const AWAY_MESSAGE = /Connection terminated|is not queryable|timeout exceeded when trying to connect/;

/** Whether an error says that the database is away, rather than that a query was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  // PostgreSQL's messages quote values of callers, so only its code counts.
  if (error instanceof pg.DatabaseError && error.code) return UNAVAILABLE_CAUSE.test(error.code);
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  if (error instanceof Prisma.PrismaClientKnownRequestError && AWAY.has(error.code)) return true;
  if (AWAY_KINDS.has(adapterCause(error)?.kind ?? '')) return true;
  if (error instanceof Error && AWAY_MESSAGE.test(error.message)) return true;
  return [codeOf(error), sqlState(error)].some((code) => code !== undefined && UNAVAILABLE_CAUSE.test(code));
}

/** The SQLSTATE that PostgreSQL answered to a raw query. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : adapterCause(error)?.originalCode;
}

/** Whether a statement waited in a circle with others, and was the one that had to give way: it may be tried again. */
export function isDeadlock(error: unknown): boolean {
  return (
    sqlState(error) === '40P01' || (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2034')
  );
}

/** serialization_failure, deadlock_detected, lock_not_available, query_canceled by statement_timeout */
const CONFLICTS = new Set(['40001', '40P01', '55P03', '57014']);

/** Whether a statement waited too long for others, who had locked what it needs: it may succeed later. */
export function isLockConflict(error: unknown): boolean {
  return CONFLICTS.has(sqlState(error) ?? '') || isDeadlock(error);
}

interface AdapterCause {
  kind?: string;
  originalCode?: string;
}

/** The adapter's words: within Prisma's error of a statement; of a `BEGIN` or `COMMIT` its own error, as it is. */
function adapterCause(error: unknown): AdapterCause | undefined {
  if (error instanceof Error && isDriverAdapterError(error)) return error.cause as AdapterCause;
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: { cause?: AdapterCause } } };
  return meta?.driverAdapterError?.cause;
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
