// Prints the events of the caller's dialogs, each once and in order, across reconnects:
// KEY=… USER_ID=… (or TOKEN=…) node examples/listen.mjs [cursor to resume from]
// Needs no build. packages/client does the same with types, for many subscriptions on one socket.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

const { URL = 'http://127.0.0.1:4000', KEY, USER_ID, TOKEN } = process.env;
const CREDENTIALS = TOKEN ? { 'SVC-Token': TOKEN } : { Authorization: `ApiKey ${KEY}`, 'On-Behalf-Of': USER_ID };

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

/** Errors that a retry cannot fix. Rejected credentials close the socket instead. */
const HOPELESS = new Set(['BAD_USER_INPUT', 'FORBIDDEN', 'UNAUTHENTICATED']);
const CREDENTIALS_REFUSED = 4403;
const LONGEST_PAUSE = 10_000;

let since = process.argv[2];
let pause = 0;

for (;;) {
  const client = connect();
  try {
    // Without a cursor, a connection lost before the first event would lose events.
    if (since === undefined) for await (const { changes } of answers(client, PRESENT)) since = changes.cursor;
    for await (const { dialogEvents } of answers(client, EVENTS, { since })) {
      console.log(JSON.stringify(dialogEvents));
      since = dialogEvents.cursor; // after processing, so that an interrupted event is delivered again
      pause = 0;
    }
  } catch (problem) {
    const code = problem.code ?? problem[0]?.extensions?.code;
    if (code === 'CURSOR_EXPIRED') {
      console.error('missed events are no longer available: load dialogs and messages again here');
      since = undefined;
    } else if (code === CREDENTIALS_REFUSED || HOPELESS.has(code)) {
      console.error(code === CREDENTIALS_REFUSED ? 'KEY, USER_ID or TOKEN is wrong' : problem[0].message);
      process.exit(1);
    } else {
      console.error(`no connection to ${URL}; trying again`);
    }
  }
  await client.dispose();
  // Random, so that clients that lost their connection together do not reconnect together.
  pause = Math.min(Math.max(2 * pause, 1_000), LONGEST_PAUSE);
  await sleep(Math.random() * pause);
}

/** Terminates the socket when a ping is not answered, because a vanished network closes nothing. */
function connect() {
  let pongTimeout;
  const client = createClient({
    url: `${URL.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: CREDENTIALS,
    retryAttempts: 0, // the loop above resumes from the last cursor
    lazyCloseTimeout: 1_000,
    connectionAckWaitTimeout: 10_000,
    keepAlive: 10_000,
    on: {
      ping: (isReceived) => {
        if (!isReceived) pongTimeout = setTimeout(() => client.terminate(), 5_000);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(pongTimeout);
      },
      closed: () => clearTimeout(pongTimeout),
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
