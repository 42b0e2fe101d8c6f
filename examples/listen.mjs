// Prints every message of the caller's dialogs as it comes: node examples/listen.mjs [cursor to go on from]
// URL of the service, API key and user id come from the environment: URL, KEY, USER_ID.
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

const { URL = 'http://127.0.0.1:4000', KEY, USER_ID } = process.env;

const client = createClient({
  url: `${URL.replace(/^http/, 'ws')}/graphql`,
  webSocketImpl: WebSocket,
  connectionParams: { Authorization: `ApiKey ${KEY}`, 'On-Behalf-Of': USER_ID },
});

const query = 'subscription ($since: String) { messageSent(since: $since) { cursor message { senderId text } } }';

for await (const { data, errors } of client.iterate({ query, variables: { since: process.argv[2] } })) {
  console.log(JSON.stringify(errors ?? data.messageSent));
}
