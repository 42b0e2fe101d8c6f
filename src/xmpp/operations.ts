import type { ResultOf, VariablesOf } from 'gql.tada';
import type { DocumentNode, GraphQLError } from 'graphql';
import type { Context, UserContext } from '../context.ts';
import { requestedOperation } from '../graphql/operations.ts';
import { executePrepared } from '../graphql/prepared-operation.ts';
import { presentError } from '../graphql/presented-errors.ts';
import { recordOperation } from '../graphql/websocket/recording.ts';
import type { UserViewer } from '../lib/access.ts';
import { SECOND } from '../lib/time.ts';
import type { EventOrigin } from '../realtime/outbox.ts';
import { createContext } from '../resolvers/create-context.ts';
import { authenticate } from '../resolvers/sessions/authenticate.ts';
import type { XmppStream } from './stream.ts';

interface Call<Document extends DocumentNode> {
  document: Document;
  variables: VariablesOf<Document>;
  origin?: Omit<EventOrigin, 'resource'>;
  /** Receipts do not restart the lifetime of the session. */
  isReceipt?: boolean;
  /** Whether it counts for the rate limit, beside the rates of the stream. */
  isLimited?: boolean;
}

/** The last time that the credentials of a stream were looked up. */
const lookedUpAt = new WeakMap<XmppStream, number>();

/** Executes an operation for the user of the stream. @throws {GraphQLError} */
export async function operate<Document extends DocumentNode>(
  stream: XmppStream,
  { document, variables, origin: ofStanza, isReceipt = false, isLimited = false }: Call<Document>,
): Promise<ResultOf<Document>> {
  const viewer = isReceipt ? stream.viewer : await currentViewer(stream);
  const { services } = stream.server;
  const origin = { resource: stream.resource, ...ofStanza };
  const meter = isLimited ? services.rateLimits?.meter(stream.network, viewer) : undefined;
  const context = contextOf(stream, { viewer, origin, meter, isCounted: !isLimited });
  const begunAt = performance.now();
  let errors: GraphQLError[] | undefined;
  try {
    return (await executePrepared(document, variables as Record<string, unknown>, context)) as ResultOf<Document>;
  } catch (error) {
    const presented = presentError(error, stream.log);
    errors = [presented];
    throw presented;
  } finally {
    const ended = { viewer, requested: requestedOperation(document), errors, ms: performance.now() - begunAt };
    recordOperation({ id: stream.id, request: stream.wire.request }, { ...ended, transport: 'xmpp' }, services);
  }
}

/** Calls a resolver that only legacy chat clients need. @throws as the resolver */
export async function perform<Result>(
  stream: XmppStream,
  resolve: (context: UserContext) => Promise<Result>,
): Promise<Result> {
  const viewer = await currentViewer(stream);
  return resolve(contextOf(stream, { viewer, origin: { resource: stream.resource } }) as UserContext);
}

export function contextOf(stream: XmppStream, { viewer, ...call }: Partial<Context> & { viewer: UserViewer }): Context {
  return createContext(stream.server.services, viewer, { network: stream.network, ...call });
}

/** Rights may have changed since the sign-in, and a request restarts the lifetime of the session. */
async function currentViewer(stream: XmppStream): Promise<UserViewer> {
  const { services } = stream.server;
  const { viewer, token } = stream.session!;
  const now = services.now().getTime();
  if (Math.abs(now - (lookedUpAt.get(stream) ?? 0)) < SECOND) return viewer;
  const found = await authenticate(
    { token, authorization: undefined, onBehalfOf: undefined },
    stream.network,
    services,
  );
  if (found.kind !== 'user' || found.userId !== viewer.userId) {
    stream.fail('not-authorized');
    throw found.kind === 'refused' ? found.reason : new Error('the session belongs to another user');
  }
  lookedUpAt.set(stream, now);
  stream.session!.viewer = found;
  return found;
}
