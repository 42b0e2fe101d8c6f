import { type AtriumClient, createClient, type Document } from '@atrium/client';
import { root } from '../root.ts';
import { reason, withAccess } from './access.ts';
import { REASON_OPERATIONS } from './reason-operations.ts';

/** An application, and the user as whom the administrator looks at it. */
export interface Target {
  application: number | 'none';
  onBehalfOf?: number | undefined;
}

export const SERVICE: Target = { application: 'none' };

const clients = new Map<string, AtriumClient>();

export function clientOf({ application, onBehalfOf }: Target): AtriumClient {
  // A socket states the reason once, when it opens.
  const key = `${application} ${onBehalfOf ?? ''} ${reason.current ?? ''}`;
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

interface RootFields {
  definitions: { selectionSet?: { selections: { name?: { value: string } }[] } }[];
}

/** Whether the service refuses the document without a reason, so that it is not sent before one is stated. */
function needsReason(document: object): boolean {
  const fields = (document as RootFields).definitions.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  return fields.some(({ name }) => name !== undefined && REASON_OPERATIONS.has(name.value));
}

/** Asks for a sign-in, a confirmation or a reason if the operation requires one, then repeats it. */
export function query<Data, Variables>(
  target: Target,
  document: Document<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const run = clientOf(target).query as (document: unknown, variables: unknown, options: object) => Promise<Data>;
  return withAccess(
    () => run.call(clientOf(target), document, variables, signal ? { signal } : {}),
    needsReason(document),
  );
}

export function mutate<Data, Variables>(
  target: Target,
  document: Document<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const run = clientOf(target).mutate as (document: unknown, variables: unknown) => Promise<Data>;
  return withAccess(() => run.call(clientOf(target), document, variables), needsReason(document));
}
