import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { isDatabaseUnavailable, isLockConflict, isReadOnly } from '../db/failures.ts';
import { ServiceError, ServiceUnavailableError } from '../lib/errors.ts';

/**
 * Converts an error for the caller: service errors and request errors keep their messages. Any other error is a bug,
 * logged with its cause and presented as `Internal server error`.
 */
export function presentError(error: unknown, log: Logger): GraphQLError {
  if (error instanceof GraphQLError && presentedErrors.has(error)) return error;
  const answer = presentedOf(error, log);
  presentedErrors.add(answer);
  return answer;
}

/** Presented errors pass unchanged, so that an error that passes two layers is logged once. */
const presentedErrors = new WeakSet<GraphQLError>();

function presentedOf(error: unknown, log: Logger): GraphQLError {
  const presented =
    error instanceof GraphQLError
      ? error
      : new GraphQLError('Internal server error', { originalError: error as Error });
  const cause = causeOf(presented);
  if (cause instanceof ServiceError) return withExtensions(presented, cause.message, cause.extensions);
  if (cause === undefined) {
    const { message } = cutMessage(presented);
    return withExtensions(presented, message, { ...presented.extensions, code: 'BAD_USER_INPUT' });
  }
  const failure = temporaryFailure(cause);
  if (failure) {
    const unavailable = new ServiceUnavailableError();
    log.error({ err: cause, path: presented.path }, failure);
    return withExtensions(presented, unavailable.message, unavailable.extensions);
  }
  log.error({ err: cause, path: presented.path }, 'a resolver failed');
  return withExtensions(presented, 'Internal server error', { code: 'INTERNAL_SERVER_ERROR' });
}

function temporaryFailure(cause: unknown): string | undefined {
  if (isLockConflict(cause)) return 'a statement waited too long for the locks of others';
  if (isReadOnly(cause)) return 'the database is read-only';
  return isDatabaseUnavailable(cause) ? 'the database is unavailable' : undefined;
}

/** In characters; messages may repeat literals, values or names of the request. */
const MAX_MESSAGE = 500;

export function cutMessage(error: GraphQLError): GraphQLError {
  const { message, nodes, source, positions, path, originalError, extensions } = error;
  if (message.length <= MAX_MESSAGE) return error;
  // Copied, because a slice would retain the complete message in memory.
  const text = Buffer.from(message.slice(0, MAX_MESSAGE)).toString();
  return new GraphQLError(text, { nodes, source, positions, path, originalError, extensions });
}

/** The error of a resolver; undefined for errors of GraphQL about the request. */
function causeOf(error: GraphQLError): unknown {
  if (error instanceof ServiceError) return error;
  let cause: unknown = error.originalError;
  while (cause instanceof GraphQLError && !(cause instanceof ServiceError)) cause = cause.originalError;
  const isAboutVariables = error.path === undefined && error.nodes !== undefined;
  return isAboutVariables && !(cause instanceof ServiceError) ? undefined : cause;
}

function withExtensions(
  { nodes, source, positions, path }: GraphQLError,
  message: string,
  extensions: Record<string, unknown>,
): GraphQLError {
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}
