import { type ExecutionArgs, GraphQLError } from 'graphql';
import { CloseCode, type SubscribePayload } from 'graphql-ws';
import type { Services } from '../../context.ts';
import { BadInputError, UnauthenticatedError } from '../../lib/errors.ts';
import { ResponseSize } from '../../lib/response-size.ts';
import { createContext } from '../../resolvers/create-context.ts';
import { authenticate } from '../../resolvers/sessions/authenticate.ts';
import { requestedOperation } from '../operations.ts';
import { readRequest } from '../read-request.ts';
import { TOO_SLOW, waitingFor } from './connection.ts';
import { type Connection, close, isOpen, reportOperation } from './connections.ts';

const MAX_OPERATIONS = 100;

/**
 * Prepares an operation, or returns its errors. Authenticates again, because the rights of the caller may have changed
 * since the socket was opened.
 */
export async function prepareOperation(
  connection: Connection,
  id: string,
  { query, variables, operationName }: SubscribePayload,
  services: Services,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  connection.extra.operations++;
  const refusal = begin(connection, id);
  if (refusal) return [refusal];
  const viewer = await authenticate(connection.extra.credentials!, services).catch(asGraphQLError);
  if (viewer instanceof GraphQLError) return [viewer];
  if (viewer.kind === 'anonymous' || viewer.kind === 'refused') {
    close(connection, CloseCode.Forbidden, 'Forbidden');
    return [viewer.kind === 'refused' ? viewer.reason : new UnauthenticatedError('Token is required')];
  }
  const network = services.networkOf(connection.extra.request);
  const meter = services.rateLimits?.meter(network, viewer);
  const read = await readRequest({ query, variables, operationName }, { viewer, meter }, services).catch(
    asGraphQLError,
  );
  if (read instanceof GraphQLError) return [read];
  if (read.errors) return read.errors;
  if (read.problem) return [read.problem];
  const { schema, document } = read;
  const operation = requestedOperation(document, operationName);
  if (operation?.type === 'subscription') connection.extra.unanswered.delete(id);
  reportOperation(connection.extra, operation, services.log);
  const contextValue = createContext(services, viewer, {
    network,
    meter,
    responseSize: new ResponseSize(viewer),
    onTooSlow: () => close(connection, TOO_SLOW, 'Too slow'),
    callerLeft: () => callerLeft(connection, id),
  });
  return { schema, document, variableValues: variables, operationName, contextValue };
}

function begin({ extra }: Connection, id: string): BadInputError | undefined {
  // A cancelled operation may still be in cleanup; graphql-ws would confuse two operations with the same id.
  if (extra.underWay.has(id)) {
    extra.socket.close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`);
    return new BadInputError('The operation exists already');
  }
  if (extra.underWay.size >= MAX_OPERATIONS) {
    return new BadInputError(`A socket may have at most ${MAX_OPERATIONS} operations in flight`);
  }
  extra.underWay.add(id);
  extra.unanswered.add(id);
  extra.begins = id;
  return undefined;
}

function callerLeft(connection: Connection, id: string): AbortSignal {
  const controller = waitingFor(connection.extra, id);
  if (!isOpen(connection)) controller.abort();
  return controller.signal;
}

/** Wraps an error so that a hook may return it; `onError` masks it. */
function asGraphQLError(fault: Error): GraphQLError {
  if (fault instanceof GraphQLError) return fault;
  return new GraphQLError('Internal server error', { originalError: fault });
}
