import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type AtriumClient, createClient, graphql } from '../../../packages/client/src/index.ts';
import { type Application, signRequest } from '../../../packages/client/src/sign.ts';
import { freePort } from '../../support/app/redis.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { HEAR, SEND } from '../../support/clients/atrium.ts';
import { until } from '../../support/clients/websocket.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';

// Three users chat with the client over a network that cuts connections at random bytes; the service is killed and
// stopped.

const MESSAGES_OF_EACH = 170;

let folder: Awaited<ReturnType<typeof createDataDir>>;
let port: string;
let service: Service;
let between: FaultProxy;
let application: Application & { apiKey: string };

beforeAll(async () => {
  folder = await createDataDir();
  port = String(await freePort());
  service = await startService(folder.dataDir, { PORT: port });
  between = await FaultProxy.start(service.url);
  application = JSON.parse(await readFile(join(folder.dataDir, 'credentials.json'), 'utf8'));
});

afterAll(async () => {
  await between.close();
  await service.stop();
  await folder.remove();
});

const SIGN_UP = graphql(`mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }`);
const CREATE_DIALOG = graphql(`mutation ($input: CreateDialogInput!) { createDialog(input: $input) { id } }`);
const MESSAGES = graphql(`query ($dialogId: ID!, $after: String) {
  messages(dialogId: $dialogId, first: 100, after: $after) {
    edges { node { id text } } pageInfo { hasNextPage endCursor }
  }
}`);

interface Member {
  client: AtriumClient;
  login: string;
  received: string[];
  renewals: number;
}

async function join_(login: string, url: string): Promise<Member> {
  const password = 'correct-horse';
  const client = createClient({
    url,
    sign: () => signRequest(application),
    renew: () => {
      member.renewals++;
      return { login, password };
    },
    webSocket: WebSocket,
    retries: 1_000,
    heartbeat: 2_000,
  });
  const member: Member = { client, login, received: [], renewals: 0 };
  await client.openSession();
  await client.mutate(SIGN_UP, { input: { login, password } });
  await client.signIn({ login, password });
  return member;
}

test('three clients each receive every message exactly once and in order', { timeout: 900_000 }, async () => {
  const members = await Promise.all(['alice', 'bob', 'carol'].map((login) => join_(login, between.url)));
  const [alice] = members as [Member, Member, Member];
  const occupantIds = members.map(({ client }) => client.session!.userId!);
  const { createDialog } = await alice.client.mutate(CREATE_DIALOG, {
    input: { type: 'GROUP', name: 'Storm', occupantIds },
  });
  const dialogId = createDialog.id;
  const ends: unknown[] = [];
  const subscriptions = members.map(({ client, received }) =>
    client.subscribe(
      HEAR,
      { dialogId },
      {
        next: ({ messageSent }) => void received.push(messageSent.message.text),
        end: (error) => ends.push(error),
      },
    ),
  );
  await Promise.all(subscriptions.map(({ ready }) => ready));

  between.cutBehind = () => 500 + Math.floor(Math.random() * 12_000);
  let sent = 0;
  const sending = members.map(async ({ client, login }) => {
    for (let nth = 1; nth <= MESSAGES_OF_EACH; nth++) {
      await client.mutate(SEND, { input: { dialogId, text: `${login} ${nth}` } });
      sent++;
    }
  });
  const all = MESSAGES_OF_EACH * members.length;
  const misfortunes = (async () => {
    await until(() => sent > all / 4);
    await service.kill();
    service = await startService(folder.dataDir, { PORT: port });
    await until(() => sent > all / 2);
    // Ends Bob's session from outside, so that his client has to sign in again.
    const { token } = members[1]!.client.session!;
    await fetch(`${service.url}/session`, { method: 'DELETE', headers: { 'SVC-Token': token } });
    await until(() => sent > (all * 3) / 4);
    expect(await service.stop()).toBe(0);
    service = await startService(folder.dataDir, { PORT: port });
  })();
  await Promise.all([...sending, misfortunes]);
  between.cutBehind = undefined;
  between.cut();

  await until(() => members.every(({ received }) => received.length >= all));
  const stored: string[] = [];
  for (let after: string | null | undefined; ; ) {
    const { messages } = await alice.client.query(MESSAGES, { dialogId, after });
    stored.push(...messages.edges.map(({ node }) => node.text));
    after = messages.pageInfo.endCursor;
    if (!messages.pageInfo.hasNextPage) break;
  }
  expect(new Set(stored).size).toBe(all);
  for (const { received } of members) expect(received).toEqual(stored);
  // A cut connection may take the answer of Bob's first renewal with it; then his client renews again.
  const [ofAlice, ofBob, ofCarol] = members.map(({ renewals }) => renewals);
  expect([ofAlice, ofCarol]).toEqual([0, 0]);
  expect(ofBob).toBeGreaterThanOrEqual(1);
  expect(between.cuts).toBeGreaterThan(30);
  expect(ends).toEqual([]);

  for (const { client } of members) await client.signOut();
  expect(ends).toEqual([undefined, undefined, undefined]);
});
