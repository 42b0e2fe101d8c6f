import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { isDatabaseUnavailable, isLockConflict } from '../db/failures.ts';
import { ServiceError, ServiceUnavailableError } from '../lib/errors.ts';

/**
 * What a caller sees of an error: sentences of the contract and complaints about the request as they are; anything
 * else is a fault, logged with its cause and shown as nothing but that.
 */
export function presentError(error: unknown, log: Logger): GraphQLError {
  if (error instanceof GraphQLError && shown.has(error)) return error;
  const answer = presentedOf(error, log);
  shown.add(answer);
  return answer;
}

/** What is shown already goes through unchanged, and is logged once: a door may find an error before its library does. */
const shown = new WeakSet<GraphQLError>();

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
  if (isDatabaseUnavailable(cause) || isLockConflict(cause)) {
    const unavailable = new ServiceUnavailableError();
    const reason = isLockConflict(cause) ? 'a statement waited too long for others' : 'the database is away';
    log.error({ err: cause, path: presented.path }, reason);
    return withExtensions(presented, unavailable.message, unavailable.extensions);
  }
  log.error({ err: cause, path: presented.path }, 'a resolver failed');
  return withExtensions(presented, 'Internal server error', { code: 'INTERNAL_SERVER_ERROR' });
}

/** Characters of an error, which may repeat a literal, a value or a name of the request. */
const MAX_MESSAGE = 500;

/** The same error with a message of bounded length. */
export function cutMessage(error: GraphQLError): GraphQLError {
  const { message, nodes, source, positions, path, originalError, extensions } = error;
  if (message.length <= MAX_MESSAGE) return error;
  // A copy: a slice would keep the whole message in memory.
  const text = Buffer.from(message.slice(0, MAX_MESSAGE)).toString();
  return new GraphQLError(text, { nodes, source, positions, path, originalError, extensions });
}

/** The error a resolver threw; undefined when GraphQL itself complains about the request. */
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
