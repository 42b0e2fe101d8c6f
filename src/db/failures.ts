import { isDriverAdapterError } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { Prisma } from '../generated/prisma/client.ts';

const UNAVAILABLE_CODES = new Set(['P1000', 'P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037']);

/** SQLSTATE classes 08 (connection), 28P (password), 53 (resources), 57P (shutdown), and socket errors. */
const UNAVAILABLE_CAUSE = /^(08|28P|53|57P|ECONN|ENOENT|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT)/;

/** Kinds of adapter errors, for raw queries in a transaction. */
const UNAVAILABLE_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);

/** Messages of `pg` when a connection breaks during a query, or the service stops; these errors have no code. */
const UNAVAILABLE_MESSAGE =
  /Connection terminated|is not queryable|timeout exceeded when trying to connect|timeout expired|Cannot use a pool after calling end/;

export function isDatabaseUnavailable(error: unknown): boolean {
  // Only the code counts, because messages of PostgreSQL quote client values.
  if (error instanceof pg.DatabaseError && error.code) return UNAVAILABLE_CAUSE.test(error.code);
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  if (error instanceof Prisma.PrismaClientKnownRequestError && UNAVAILABLE_CODES.has(error.code)) return true;
  if (UNAVAILABLE_KINDS.has(adapterCause(error)?.kind ?? '')) return true;
  if (error instanceof Error && UNAVAILABLE_MESSAGE.test(error.message)) return true;
  return [codeOf(error), sqlState(error)].some((code) => code !== undefined && UNAVAILABLE_CAUSE.test(code));
}

export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : adapterCause(error)?.originalCode;
}

/** The server is a standby, or read-only; it still serves reads. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006';
}

export function isDeadlock(error: unknown): boolean {
  return (
    sqlState(error) === '40P01' || (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2034')
  );
}

/** serialization_failure, deadlock_detected, lock_not_available, query_canceled by statement_timeout */
const CONFLICTS = new Set(['40001', '40P01', '55P03', '57014']);

export function isLockConflict(error: unknown): boolean {
  return CONFLICTS.has(sqlState(error) ?? '') || isDeadlock(error);
}

interface AdapterCause {
  kind?: string;
  originalCode?: string;
}

function adapterCause(error: unknown): AdapterCause | undefined {
  if (error instanceof Error && isDriverAdapterError(error)) return error.cause as AdapterCause;
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: { cause?: AdapterCause } } };
  return meta?.driverAdapterError?.cause;
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
