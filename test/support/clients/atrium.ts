import { afterEach } from 'vitest';
import { WebSocket } from 'ws';
import {
  type AtriumClient,
  type ClientOptions,
  createClient,
  graphql,
  type SignedRequest,
} from '../../../packages/client/src/index.ts';
import { running } from '../app/app.ts';
import { signedParameters } from '../fixtures/users.ts';

const made: AtriumClient[] = [];

export function newClient(options: Partial<ClientOptions> = {}): AtriumClient {
  const client = createClient({ url: running.url, sign: signedRequest, webSocket: WebSocket, ...options });
  made.push(client);
  return client;
}

/** Closes the clients of each test, so that they do not affect the next one. */
export function useClients(): void {
  afterEach(() => {
    for (const client of made.splice(0)) client.close();
  });
}

/** A signed session request, as the server of a web app returns it, with the time of the test clock. */
export function signedRequest(): SignedRequest {
  const { application_id, auth_key, nonce, timestamp, signature } = signedParameters() as Record<string, string>;
  return {
    applicationId: Number(application_id),
    authKey: auth_key!,
    nonce: Number(nonce),
    timestamp: Number(timestamp),
    signature: signature!,
  };
}

export const SEND = graphql(`mutation Send($input: SendMessageInput!) { sendMessage(input: $input) { id text } }`);

export const HEAR = graphql(`subscription Hear($dialogId: ID, $since: String) {
  messageSent(dialogId: $dialogId, since: $since) { cursor dialogId message { id text senderId } }
}`);

export const ME = graphql(`query Me { me { id login } }`);

/** Collects `count` events and stops, or all events until the end. */
export async function take<Data>(events: AsyncIterable<Data>, count?: number): Promise<Data[]> {
  const taken: Data[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}
