import type { ResultOf } from 'gql.tada';
import type { DocumentNode } from 'graphql';
import { presentError } from '../graphql/presented-errors.ts';
import { SubscriptionResults, subscribe } from '../graphql/subscribe.ts';
import { schema } from '../schema/index.ts';
import { contextOf } from './operations.ts';
import type { XmppStream } from './stream.ts';

/** A subscription, and the stanzas of its events. */
export interface EventRoute {
  document: DocumentNode;
  /** @returns a promise when the next event should wait */
  deliver: (data: never, stream: XmppStream) => Promise<void> | undefined;
}

export function eventRoute<Document extends DocumentNode>(
  document: Document,
  deliver: (data: ResultOf<Document>, stream: XmppStream) => Promise<void> | undefined,
): EventRoute {
  return { document, deliver };
}

/** Delivers the events of the routes to the stream until it closes. Returns when no later event is missed. */
export async function follow(
  stream: XmppStream,
  routes: readonly EventRoute[],
  variables: Record<string, unknown> = {},
): Promise<void> {
  await Promise.all(routes.map((route) => subscribeTo(stream, route, variables)));
}

async function subscribeTo(
  stream: XmppStream,
  { document, deliver }: EventRoute,
  variableValues: Record<string, unknown>,
): Promise<void> {
  const onTooSlow = () => stream.fail('policy-violation');
  const contextValue = contextOf(stream, {
    viewer: stream.viewer,
    isCounted: true,
    onTooSlow,
    isJoined: (id) => stream.joined.has(id),
  });
  const results = await subscribe({ schema, document, variableValues, contextValue });
  if (!(results instanceof SubscriptionResults)) throw results.errors![0]!;
  stream.onClosed(() => void results.return());
  results.forward({
    send({ data, errors }) {
      for (const error of errors ?? []) presentError(error, stream.log); // a bug, which is logged
      return data && !errors ? deliver(data as never, stream) : undefined;
    },
    end(error) {
      if (!error || !stream.isOpen) return;
      stream.log.warn({ err: error }, 'the events of a chat stream ended; stream closed');
      stream.fail('internal-server-error');
    },
  });
}
