import { call, createGroup, forEach, messageBody, sendMessage, tokenHeader } from './calls.ts';
import type { Comparison } from './comparison.ts';
import type { Environment } from './environment.ts';
import { type HttpLoad, httpLoad } from './http-load.ts';
import { APPLICATION } from './service.ts';

const CLASS = 'bench_graphql';
const MESSAGES = 200;
const TEXT = 'Shall we meet for lunch at noon?';

const CAR = {
  make: 'BMW',
  value: 25_000,
  rating: 4.5,
  sold: false,
  registered: '2023-02-28 23:59:59',
  place: '50.1, 8.7',
};
const TYPES = {
  make: 'String',
  value: 'Integer',
  rating: 'Float',
  sold: 'Boolean',
  registered: 'Date',
  place: 'Location',
};

// The fields that the REST adapter selects.
const MESSAGE = `id text attachments createdAt updatedAt dialogId dateSent senderId recipientId readIds deliveredIds read
  customFields reactions { name count } ownReactions`;
const RECORD = `id parentId userId fields createdAt updatedAt
  permissions { read { access ids groups } update { access ids groups } delete { access ids groups } }`;

interface Pair {
  name: string;
  rest: Pick<HttpLoad, 'method' | 'status' | 'isRight' | 'bodies'> & { path: string };
  graphql: { query: string; variables: object; isRight: (body: string) => boolean };
}

export async function graphql({ serviceUrl, people, seconds }: Environment): Promise<Comparison[]> {
  const [caller] = people;
  const headers = { ...tokenHeader(caller!), 'Content-Type': 'application/json' };
  const dialogId = await createGroup(serviceUrl, people, 'bench graphql');
  await forEach(Array(MESSAGES).keys(), 8, (number) =>
    sendMessage(serviceUrl, people[number % people.length]!, dialogId, `Message number ${number} of a seeded`),
  );
  const { _id: messageId } = JSON.parse(await sendMessage(serviceUrl, caller!, dialogId, TEXT));
  // A separate dialog for sends, so that the listed pages do not change.
  const sentTo = await createGroup(serviceUrl, people, 'bench graphql sends');
  await createClass(serviceUrl);
  await call(`${serviceUrl}/data/${CLASS}.json`, 201, { method: 'POST', headers: tokenHeader(caller!), json: CAR });

  return pairs({ dialogId, sentTo, messageId }).map(({ name, rest, graphql: { query, variables, isRight } }) => ({
    name: `GraphQL : REST, ${name}`,
    service: () =>
      httpLoad({
        url: `${serviceUrl}/graphql`,
        method: 'POST',
        headers,
        bodies: [JSON.stringify({ query, variables })],
        status: 200,
        isRight: (body) => !body.includes('"errors"') && isRight(body),
        seconds,
      }),
    bare: () => httpLoad({ ...rest, url: serviceUrl + rest.path, headers, seconds }),
    note: () => 'GraphQL : REST – the same operation with the same fields over both transports of the service',
  }));
}

async function createClass(url: string): Promise<void> {
  const headers = { Authorization: `ApiKey ${APPLICATION.apiKey}` };
  await call(`${url}/class.json`, 201, { method: 'POST', headers, json: { name: CLASS, fields: TYPES } });
}

function pairs({ dialogId, sentTo, messageId }: { dialogId: string; sentTo: string; messageId: string }): Pair[] {
  const hasText = (body: string) => body.includes(TEXT);
  const isPage = (body: string) => body.split('Message number').length === 51;
  return [
    {
      name: 'send',
      rest: {
        path: '/chat/Message.json',
        method: 'POST',
        bodies: [messageBody(sentTo, TEXT)],
        status: 201,
        isRight: hasText,
      },
      graphql: {
        query: `mutation Send($input: SendMessageInput!) { sendMessage(input: $input) { ${MESSAGE} } }`,
        variables: { input: { dialogId: sentTo, text: TEXT, sendToChat: true } },
        isRight: hasText,
      },
    },
    {
      name: 'list 50 messages',
      rest: {
        path: `/chat/Message.json?chat_dialog_id=${dialogId}&limit=50&mark_as_read=0`,
        method: 'GET',
        status: 200,
        isRight: isPage,
      },
      graphql: {
        query: `mutation Read($dialogId: ID!) {
          readMessages(dialogId: $dialogId, skip: 0, limit: 50, markAsRead: false) { cursor items { ${MESSAGE} } }
        }`,
        variables: { dialogId },
        isRight: isPage,
      },
    },
    {
      name: 'get a message by id',
      rest: { path: `/chat/Message/${messageId}.json`, method: 'GET', status: 200, isRight: hasText },
      graphql: {
        query: `query Get($id: ID!) { message(id: $id) { ${MESSAGE} } }`,
        variables: { id: messageId },
        isRight: hasText,
      },
    },
    {
      name: 'create a record of six fields',
      rest: {
        path: `/data/${CLASS}.json`,
        method: 'POST',
        bodies: [JSON.stringify(CAR)],
        status: 201,
        isRight: (body) => body.includes(CAR.make),
      },
      graphql: {
        query: `mutation Create($input: CreateRecordInput!) { createRecord(input: $input) { ${RECORD} } }`,
        variables: { input: { className: CLASS, fields: CAR } },
        isRight: (body) => body.includes(CAR.make),
      },
    },
  ];
}
