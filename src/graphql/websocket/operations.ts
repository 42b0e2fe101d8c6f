import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST, OperationTypeNode } from 'graphql';
import { CloseCode, MessageType, type SubscribePayload } from 'graphql-ws';
import type { Services } from '../../context.ts';
import { isKnown, type Viewer } from '../../lib/access.ts';
import { BadInputError, UnauthenticatedError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { ResponseSize } from '../../lib/response-size.ts';
import type { RequestFacts } from '../../platform/observability/request-facts.ts';
import { createContext } from '../../resolvers/create-context.ts';
import { authenticate } from '../../resolvers/sessions/authenticate.ts';
import { execute } from '../execute.ts';
import { type RequestedOperation, requestedOperation } from '../operations.ts';
import { presentError } from '../presented-errors.ts';
import { readRequest } from '../read-request.ts';
import { type ResultReceiver, SubscriptionResults, subscribe } from '../subscribe.ts';
import { tracedExecution } from '../traced-execution.ts';
import { type SocketConnection, SocketOperation, TOO_SLOW } from './connection.ts';
import { nextFrame } from './frames.ts';
import { recordOperation } from './recording.ts';

const MAX_OPERATIONS = 100;

/** A root span, because the upgrade request has ended. */
const OF_MESSAGE = { kind: 'server', isRoot: true } as const;

/** Executes an operation and sends its results. Returns when a subscription has begun. */
export async function runOperation(
  connection: SocketConnection,
  id: string,
  payload: SubscribePayload,
  services: Services,
): Promise<void> {
  if (connection.findOperation(id)) {
    return connection.close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`);
  }
  connection.operationCount++;
  if (connection.operations.length >= MAX_OPERATIONS) {
    const refusal = new BadInputError(problem('TOO_MANY_OPERATIONS', { max: MAX_OPERATIONS }));
    return void connection.send(errorMessage(id, [refusal], connection, services));
  }
  const operation = new SocketOperation(id);
  connection.begin(operation);
  try {
    await answer(connection, { operation, payload, begunAt: performance.now() }, services);
  } finally {
    if (!operation.stream) connection.end(operation);
  }
}

interface Begun {
  operation: SocketOperation;
  payload: SubscribePayload;
  begunAt: number;
  viewer?: Viewer;
  requested?: RequestedOperation | undefined;
  facts?: Pick<RequestFacts, 'list'>;
}

async function answer(connection: SocketConnection, begun: Begun, services: Services): Promise<void> {
  const { operation } = begun;
  const { id } = operation;
  const args = await prepare(connection, begun, services);
  if (!('schema' in args)) {
    const errors = presented(args, connection, services);
    record(connection, begun, { errors }, services);
    if (!operation.isCancelled) connection.send(errorMessage(id, errors, connection, services));
    return;
  }
  if (operation.isCancelled) return;
  const result = await tracedExecution(
    args,
    (): Promise<ExecutionResult | SubscriptionResults> => (operation.isAwaited ? execute(args) : subscribe(args)),
    OF_MESSAGE,
  );
  const sender = new Sender(connection, begun, services);
  if (result instanceof SubscriptionResults) {
    operation.stream = result;
    if (operation.isCancelled) await result.return();
    result.forward(sender);
    record(connection, begun, {}, services);
    return;
  }
  const errors = result.errors && presented(result.errors, connection, services);
  const sent = errors ? { ...result, errors } : result;
  if (!operation.isCancelled) {
    await sender.send(sent, true);
    sender.complete();
  }
  record(connection, begun, { errors, bytes: () => nextFrame(id, sent, (same) => same).length }, services);
}

function record(
  connection: SocketConnection,
  { operation, begunAt, viewer, requested, facts }: Begun,
  { errors, bytes }: { errors?: readonly GraphQLError[] | undefined; bytes?: () => number },
  services: Services,
): void {
  const ms = performance.now() - begunAt;
  const ended = { viewer, requested, errors, ms, isCutOff: operation.isCancelled, list: facts?.list };
  recordOperation(connection, bytes ? { ...ended, bytes } : ended, services);
}

function presented(errors: readonly GraphQLError[], connection: SocketConnection, services: Services): GraphQLError[] {
  const log = connection.logTo(services);
  return errors.map((error) => presentError(error, log));
}

/** Sends the results of one operation. */
class Sender implements ResultReceiver {
  readonly #connection: SocketConnection;
  readonly #operation: SocketOperation;
  readonly #services: Services;
  readonly #viewer: Viewer | undefined;
  readonly #requested: RequestedOperation | undefined;

  constructor(connection: SocketConnection, { operation, viewer, requested }: Begun, services: Services) {
    this.#connection = connection;
    this.#operation = operation;
    this.#services = services;
    this.#viewer = viewer;
    this.#requested = requested;
  }

  send(result: ExecutionResult, hasMore: boolean): Promise<void> | undefined {
    if (this.#operation.isCancelled) return undefined;
    return this.#connection.write(
      nextFrame(this.#operation.id, result, (one) => this.#present(one)),
      hasMore,
    );
  }

  complete(): void {
    if (!this.#operation.isCancelled) this.#connection.send({ id: this.#operation.id, type: MessageType.Complete });
  }

  /** The subscription has ended, by an error if there is one. */
  end(error?: Error): void {
    if (!error) this.complete();
    else if (!this.#operation.isCancelled) {
      const message = new GraphQLError(error.message, { originalError: error });
      const errors = presented([message], this.#connection, this.#services);
      this.#connection.send(errorMessage(this.#operation.id, errors, this.#connection, this.#services));
      const ended = { viewer: this.#viewer, requested: this.#requested, errors, ms: undefined };
      recordOperation(this.#connection, ended, this.#services);
    }
    this.#connection.end(this.#operation);
  }

  #present(result: ExecutionResult): ExecutionResult {
    if (!result.errors) return result;
    return { ...result, errors: presented(result.errors, this.#connection, this.#services) };
  }
}

/**
 * Prepares an operation, or returns its errors. Authenticates again, because the rights of the caller may have changed
 * since the socket was opened.
 */
async function prepare(
  connection: SocketConnection,
  begun: Begun,
  services: Services,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { operation, payload } = begun;
  const { query, variables, operationName } = payload;
  const network = services.networkOf(connection.request);
  const found = await authenticate(connection.credentials!, network, services).catch(asGraphQLError);
  if (found instanceof GraphQLError) return [found];
  const viewer = connection.recognize(found);
  begun.viewer = viewer;
  if (!isKnown(viewer)) {
    connection.close(CloseCode.Forbidden, 'Forbidden');
    return [viewer.kind === 'refused' ? viewer.reason : new UnauthenticatedError('TOKEN_REQUIRED')];
  }
  const meter = services.rateLimits?.meter(network, viewer);
  const read = await readRequest({ query, variables, operationName }, { viewer, meter }, services).catch(
    asGraphQLError,
  );
  if (read instanceof GraphQLError) return [read];
  if (read.errors) return read.errors;
  if (read.problem) return [read.problem];
  const { schema, document } = read;
  const requested = getOperationAST(document, operationName);
  if (!requested) return [new GraphQLError('Unable to identify operation')];
  operation.isAwaited = requested.operation !== OperationTypeNode.SUBSCRIPTION;
  begun.requested = requestedOperation(document, operationName);
  connection.reportOperation(begun.requested, services.log);
  const facts = {};
  begun.facts = facts;
  const contextValue = createContext(services, viewer, {
    network,
    userAgent: connection.request.headers['user-agent']?.toString(),
    meter,
    responseSize: new ResponseSize(viewer),
    onTooSlow: () => connection.close(TOO_SLOW, 'Too slow'),
    callerLeft: () => operation.callerLeft,
    facts,
  });
  return { schema, document, variableValues: variables, operationName, contextValue };
}

function errorMessage(id: string, errors: readonly GraphQLError[], connection: SocketConnection, services: Services) {
  const payload = presented(errors, connection, services).map((error) => error.toJSON());
  return { id, type: MessageType.Error, payload };
}

/** Wraps an error, so that it is returned and masked like those of GraphQL. */
function asGraphQLError(fault: Error): GraphQLError {
  if (fault instanceof GraphQLError) return fault;
  return new GraphQLError('Internal server error', { originalError: fault });
}
