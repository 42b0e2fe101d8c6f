import { type AtriumClient, createClient, type Document } from '@atrium/client';
import { root } from '../root.ts';
import { reason, withAccess } from './access.ts';

/** An application, and the user as whom the administrator looks at it. */
export interface Target {
  application: number | 'none';
  onBehalfOf?: number | undefined;
}

export const SERVICE: Target = { application: 'none' };

const clients = new Map<string, AtriumClient>();

export function clientOf({ application, onBehalfOf }: Target): AtriumClient {
  const key = `${application} ${onBehalfOf ?? ''}`;
  const known = clients.get(key);
  if (known) return known;
  const client = createClient({
    url: root.href,
    administrator: { application, reason: () => reason.current },
    ...(onBehalfOf !== undefined && { onBehalfOf }),
  });
  clients.set(key, client);
  return client;
}

/** Asks for a sign-in, a confirmation or a reason if the operation requires one, then repeats it. */
export function query<Data, Variables>(
  target: Target,
  document: Document<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const run = clientOf(target).query as (document: unknown, variables: unknown, options: object) => Promise<Data>;
  return withAccess(() => run.call(clientOf(target), document, variables, signal ? { signal } : {}));
}

export function mutate<Data, Variables>(
  target: Target,
  document: Document<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const run = clientOf(target).mutate as (document: unknown, variables: unknown) => Promise<Data>;
  return withAccess(() => run.call(clientOf(target), document, variables));
}
