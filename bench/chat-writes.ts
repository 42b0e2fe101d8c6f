import { deepStrictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { call, messageBody, type Person, sendMessage, tokenHeader } from './calls.ts';
import { messageId, type Talk } from './talk.ts';
import type { Turn } from './turns.ts';

export interface Write {
  name: string;
  turn: (talk: Talk) => Turn;
}

const TEXT = 'Shall we meet for lunch at noon?';
const PLACES = 100;

export const WRITES: Write[] = [
  {
    name: 'edit one',
    turn: (talk) => {
      // The writer sent the messages with even `seq`.
      const next = places(talk, (seq) => seq - (seq % 2));
      return async () => () => change(talk, talk.writer, `/${next()}`, { message: `Edited ${randomUUID()}` });
    },
  },
  {
    name: 'mark one read or unread',
    turn: (talk) => {
      const next = places(talk, (seq) => seq);
      let read = 0;
      return async () => {
        read = 1 - read;
        return () => change(talk, talk.reader, `/${next()}`, { read });
      };
    },
  },
  {
    name: 'mark all read after a new one',
    turn: (talk) => async () => {
      await send(talk);
      return () => change(talk, talk.follower, '', { chat_dialog_id: talk.dialogId, read: 1 });
    },
  },
  {
    name: 'mark all unread',
    turn: (talk) => async () => () => change(talk, talk.follower, '', { chat_dialog_id: talk.dialogId, read: 0 }),
  },
  {
    name: 'read a new one',
    turn: (talk) => async () => {
      const id = await send(talk);
      return async () => {
        const query = `chat_dialog_id=${talk.dialogId}&limit=10&sort_desc=date_sent`;
        const page = await call(`${talk.url}/chat/Message.json?${query}`, 200, { headers: tokenHeader(talk.follower) });
        deepStrictEqual(JSON.parse(page).items[0]._id, id);
      };
    },
  },
  {
    name: 'delete one for oneself',
    turn: (talk) => async () => {
      const id = await send(talk);
      return () => remove(talk, talk.reader, id, {});
    },
  },
  {
    name: 'the dialog whose newest are deleted for oneself',
    turn: (talk) => async () => () =>
      call(`${talk.url}/chat/Dialog/${talk.dialogId}.json`, 200, { headers: tokenHeader(talk.reader) }),
  },
  {
    name: 'delete one for all',
    turn: (talk) => async () => {
      const id = await send(talk);
      return () => remove(talk, talk.writer, id, { force: 1 });
    },
  },
  { name: 'send one', turn: (talk) => async () => () => send(talk) },
  { name: 'send one by its key', turn: (talk) => async () => () => send(talk, { 'Idempotency-Key': randomUUID() }) },
  {
    name: 'send one again by its key',
    turn: (talk) => async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const id = await send(talk, headers);
      return async () => deepStrictEqual(await send(talk, headers), id);
    },
  },
];

async function send(talk: Talk, headers?: Record<string, string>): Promise<string> {
  if (!headers) return JSON.parse(await sendMessage(talk.url, talk.writer, talk.dialogId, TEXT))._id;
  const sent = await call(`${talk.url}/chat/Message.json`, 201, {
    method: 'POST',
    headers: { ...tokenHeader(talk.writer), ...headers },
    json: JSON.parse(messageBody(talk.dialogId, TEXT)),
  });
  return JSON.parse(sent)._id;
}

function change(talk: Talk, person: Person, path: string, json: object): Promise<string> {
  return call(`${talk.url}/chat/Message${path}.json`, 200, { method: 'PUT', headers: tokenHeader(person), json });
}

async function remove(talk: Talk, person: Person, id: string, json: object): Promise<void> {
  const headers = tokenHeader(person);
  const answer = await call(`${talk.url}/chat/Message/${id}.json`, 200, { method: 'DELETE', headers, json });
  deepStrictEqual(JSON.parse(answer).SuccessfullyDeleted.ids, [id]);
}

function places({ size }: Talk, shift: (seq: number) => number): () => string {
  let place = 0;
  return () => {
    place = (place + 1) % PLACES;
    return messageId(shift(Math.floor(((place + 0.5) * size) / PLACES)));
  };
}
