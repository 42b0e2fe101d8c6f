// Prints every message of the caller's dialogs as it comes, each once and in order, also when the service restarts:
//   KEY=… USER_ID=… node examples/listen.mjs [cursor to go on from]
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

const { URL = 'http://127.0.0.1:4000', KEY, USER_ID } = process.env;
const FORBIDDEN = 4403;

const query = 'subscription ($since: String) { messageSent(since: $since) { cursor message { senderId text } } }';
let since = process.argv[2];

for (;;) {
  const client = createClient({
    url: `${URL.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `ApiKey ${KEY}`, 'On-Behalf-Of': USER_ID },
    retryAttempts: 0, // going on from the last cursor is up to us
  });
  try {
    for await (const { data, errors } of client.iterate({ query, variables: { since } })) {
      if (errors) throw errors;
      console.log(JSON.stringify(data.messageSent));
      since = data.messageSent.cursor;
    }
  } catch (problem) {
    if (problem.code === FORBIDDEN || Array.isArray(problem)) {
      console.error(
        problem.code === FORBIDDEN ? 'KEY or USER_ID is wrong' : problem.map(({ message }) => message).join(),
      );
      process.exit(1);
    }
  }
  await sleep(1000);
}
