// Prints all that happens in the caller's dialogs, each event once and in order, whatever becomes of the connection:
//   KEY=… USER_ID=… node examples/listen.mjs [cursor to go on from]
// It needs no build; packages/client does the same, typed, for many subscriptions on one socket.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

const { URL = 'http://127.0.0.1:4000', KEY, USER_ID } = process.env;

const PRESENT = '{ changes { cursor } }';
const EVENTS = `subscription ($since: String) {
  dialogEvents(since: $since) {
    __typename cursor dialogId
    ... on MessageSent { message { id senderId text } }
    ... on MessageEdited { message { id senderId text } }
    ... on MessagesDeleted { deletedIds forAll }
    ... on MessagesMarked { userId messageIds read delivered }
    ... on ReactionAdded { messageId userId name }
    ... on ReactionRemoved { messageId userId name }
    ... on DialogChanged { dialog { name occupantIds unreadMessagesCount } }
    ... on DialogRemoved { removal }
  }
}`;

/** What another try does not mend; credentials that are refused close the socket instead. */
const HOPELESS = new Set(['BAD_USER_INPUT', 'FORBIDDEN', 'UNAUTHENTICATED']);
const CREDENTIALS_REFUSED = 4403;
const LONGEST_PAUSE = 10_000;

let since = process.argv[2];
let pause = 0;

for (;;) {
  const client = connect();
  try {
    // Without a place to go on from, a connection that breaks before the first event would lose what comes meanwhile.
    if (since === undefined) for await (const { changes } of answers(client, PRESENT)) since = changes.cursor;
    for await (const { dialogEvents } of answers(client, EVENTS, { since })) {
      console.log(JSON.stringify(dialogEvents));
      since = dialogEvents.cursor; // only now: what is not through is told again
      pause = 0;
    }
  } catch (problem) {
    const code = problem.code ?? problem[0]?.extensions?.code;
    if (code === 'CURSOR_EXPIRED') {
      console.error('too much was missed: this is where to load dialogs and messages anew');
      since = undefined;
    } else if (code === CREDENTIALS_REFUSED || HOPELESS.has(code)) {
      console.error(code === CREDENTIALS_REFUSED ? 'KEY or USER_ID is wrong' : problem[0].message);
      process.exit(1);
    }
  }
  await client.dispose();
  // Thousands who lose their connection together should not come back together.
  pause = Math.min(Math.max(2 * pause, 1_000), LONGEST_PAUSE);
  await sleep(Math.random() * pause);
}

/** A socket that is given up when it does not answer: a network that has gone closes nothing. */
function connect() {
  let patience;
  const client = createClient({
    url: `${URL.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `ApiKey ${KEY}`, 'On-Behalf-Of': USER_ID },
    retryAttempts: 0, // going on from the last cursor is up to us
    lazyCloseTimeout: 1_000,
    connectionAckWaitTimeout: 10_000,
    keepAlive: 10_000,
    on: {
      ping: (isReceived) => {
        if (!isReceived) patience = setTimeout(() => client.terminate(), 5_000);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(patience);
      },
      closed: () => clearTimeout(patience),
    },
  });
  return client;
}

async function* answers(client, query, variables) {
  for await (const { data, errors } of client.iterate({ query, variables })) {
    if (errors) throw errors;
    yield data;
  }
}
