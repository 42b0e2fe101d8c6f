import { DIALOGS, messageId, READ, type SeededDialog, sentSeconds } from './seeded-dialog.ts';

export interface Read {
  name: string;
  request: (seeded: SeededDialog) => { path: string; json?: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
  answer: (seeded: SeededDialog) => { of: (body: any) => unknown; is: unknown };
}

const PAGE = 50;
/** First and last `seq` of a page of messages. */
type Places = (size: number) => { first: number; last: number };

const middle = (size: number) => Math.floor(size / 6) * 3;
/** The first message of a second has a `seq` divisible by the number of messages per second. */
const nearEnd = (size: number) => middle(2 * size) - 99;

export const READS: Read[] = [
  {
    name: `unread total of ${DIALOGS} dialogs`,
    request: () => ({ path: '/chat/Message/unread.json' }),
    answer: ({ unread }) => ({ of: (body) => body.total, is: unread }),
  },
  {
    name: 'dialogs, latest activity first',
    request: () => ({ path: '/chat/Dialog.json?limit=20' }),
    answer: ({ size }) => ({
      of: ({ total_entries, items }) => [total_entries, items.length, Math.max(...items.map(unreadOf)) >= size - 10],
      is: [DIALOGS, 20, true],
    }),
  },
  rest(
    'first page',
    () => '',
    onwards(() => 1),
  ),
  rest(
    'last page',
    () => 'sort_desc=date_sent',
    backwards((size) => size),
  ),
  rest(
    'date_sent[gt] in the middle',
    (size) => `date_sent[gt]=${sentSeconds(middle(size))}`,
    onwards((size) => middle(size) + 3),
  ),
  rest(
    'date_sent[gt] near the end',
    (size) => `date_sent[gt]=${sentSeconds(nearEnd(size))}`,
    onwards((size) => nearEnd(size) + 3),
  ),
  rest(
    'date_sent[lt] descending',
    (size) => `date_sent[lt]=${sentSeconds(middle(size))}&sort_desc=date_sent`,
    backwards((size) => middle(size) - 1),
  ),
  rest(
    'created_at[gte] by created_at',
    (size) => `created_at[gte]=${sentSeconds(middle(size))}&sort_asc=created_at`,
    onwards(middle),
  ),
  rest(
    'created_at descending',
    () => 'sort_desc=created_at',
    backwards((size) => size),
  ),
  rest(
    'updated_at[gte] by updated_at',
    (size) => `updated_at[gte]=${sentSeconds(nearEnd(size))}&sort_asc=updated_at`,
    onwards(nearEnd),
  ),
  rest(
    'updated_at descending',
    () => 'sort_desc=updated_at',
    backwards((size) => size),
  ),
  rest(
    '_id[gt] by _id',
    (size) => `_id[gt]=${messageId(middle(size))}&sort_asc=_id`,
    onwards((size) => middle(size) + 1),
  ),
  rest(
    '_id[gt] as sent',
    (size) => `_id[gt]=${messageId(nearEnd(size))}`,
    onwards((size) => nearEnd(size) + 1),
  ),
  rest(
    '_id[lt] descending',
    (size) => `_id[lt]=${messageId(middle(size))}&sort_desc=_id`,
    backwards((size) => middle(size) - 1),
  ),
  {
    name: 'how many messages',
    request: ({ dialogId }) => ({ path: `/chat/Message.json?chat_dialog_id=${dialogId}&count=1` }),
    answer: ({ size }) => ({ of: ({ items }) => items.count, is: size }),
  },
  {
    name: 'one by id',
    request: ({ size }) => ({ path: `/chat/Message/${messageId(middle(size))}.json` }),
    answer: ({ size }) => ({ of: (body) => body._id, is: messageId(middle(size)) }),
  },
  graphql(
    'first page',
    () => ({ first: PAGE }),
    onwards(() => 1),
  ),
  graphql(
    'last page',
    () => ({ last: PAGE }),
    (size) => ({ first: size - PAGE + 1, last: size }),
  ),
  graphql(
    'after the start',
    () => ({ first: PAGE, after: cursor(READ) }),
    onwards(() => READ + 1),
  ),
  graphql(
    'after the middle',
    (size) => ({ first: PAGE, after: cursor(middle(size)) }),
    onwards((size) => middle(size) + 1),
  ),
  graphql(
    'before the middle',
    (size) => ({ last: PAGE, before: cursor(middle(size)) }),
    (size) => ({ first: middle(size) - PAGE, last: middle(size) - 1 }),
  ),
  graphql(
    'after nearly all',
    (size) => ({ first: PAGE, after: cursor(nearEnd(size)) }),
    onwards((size) => nearEnd(size) + 1),
  ),
];

function rest(name: string, query: (size: number) => string, places: Places): Read {
  return {
    name: `REST ${name}`,
    request: ({ size, dialogId }) => ({
      path: `/chat/Message.json?chat_dialog_id=${dialogId}&limit=${PAGE}&mark_as_read=0&${query(size)}`,
    }),
    answer: ({ size }) => ({
      of: ({ items }) => [items.length, items[0]?._id, items.at(-1)?._id],
      is: shown(places(size)),
    }),
  };
}

const MESSAGES = `query ($dialogId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
  messages(dialogId: $dialogId, first: $first, after: $after, last: $last, before: $before) {
    pageInfo { hasNextPage hasPreviousPage endCursor } edges { node { id text senderId dateSent readIds } }
  }
}`;

function graphql(name: string, page: (size: number) => Record<string, unknown>, places: Places): Read {
  return {
    name: `GraphQL ${name}`,
    request: ({ size, dialogId }) => ({
      path: '/graphql',
      json: { query: MESSAGES, variables: { dialogId, ...page(size) } },
    }),
    answer: ({ size }) => ({
      of: ({ data: { messages } }) => [
        messages.edges.length,
        messages.edges[0]?.node.id,
        messages.edges.at(-1)?.node.id,
      ],
      is: shown(places(size)),
    }),
  };
}

function onwards(from: (size: number) => number): Places {
  return (size) => ({ first: from(size), last: from(size) + PAGE - 1 });
}

function backwards(from: (size: number) => number): Places {
  return (size) => ({ first: from(size), last: from(size) - PAGE + 1 });
}

function shown({ first, last }: ReturnType<Places>): [number, string, string] {
  return [PAGE, messageId(first), messageId(last)];
}

function cursor(seq: number): string {
  return Buffer.from(JSON.stringify([seq, messageId(seq)])).toString('base64url');
}

function unreadOf(dialog: { unread_messages_count: number }): number {
  return dialog.unread_messages_count;
}
