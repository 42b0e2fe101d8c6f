import { deepStrictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { call, messageBody, type Person, sendMessage, tokenHeader } from './calls.ts';
import { messageId, type SeededDialog } from './seeded-dialog.ts';
import type { Turn } from './turns.ts';

export interface Write {
  name: string;
  turn: (seeded: SeededDialog) => Turn;
}

const TEXT = 'Shall we meet for lunch at noon?';
const PLACES = 100;

export const WRITES: Write[] = [
  {
    name: 'edit one',
    turn: (seeded) => {
      // The writer sent the messages with even `seq`.
      const next = places(seeded, (seq) => seq - (seq % 2));
      return async () => () => change(seeded, seeded.writer, `/${next()}`, { message: `Edited ${randomUUID()}` });
    },
  },
  {
    name: 'mark one read or unread',
    turn: (seeded) => {
      const next = places(seeded, (seq) => seq);
      let read = 0;
      return async () => {
        read = 1 - read;
        return () => change(seeded, seeded.reader, `/${next()}`, { read });
      };
    },
  },
  {
    name: 'mark all read after a new one',
    turn: (seeded) => async () => {
      await send(seeded);
      return () => change(seeded, seeded.follower, '', { chat_dialog_id: seeded.dialogId, read: 1 });
    },
  },
  {
    name: 'mark all unread',
    turn: (seeded) => async () => () =>
      change(seeded, seeded.follower, '', { chat_dialog_id: seeded.dialogId, read: 0 }),
  },
  {
    name: 'read a new one',
    turn: (seeded) => async () => {
      const id = await send(seeded);
      return async () => {
        const query = `chat_dialog_id=${seeded.dialogId}&limit=10&sort_desc=date_sent`;
        const page = await call(`${seeded.url}/chat/Message.json?${query}`, 200, {
          headers: tokenHeader(seeded.follower),
        });
        deepStrictEqual(JSON.parse(page).items[0]._id, id);
      };
    },
  },
  {
    name: 'delete one for oneself',
    turn: (seeded) => async () => {
      const id = await send(seeded);
      return () => remove(seeded, seeded.reader, id, {});
    },
  },
  {
    name: 'the dialog whose newest are deleted for oneself',
    turn: (seeded) => async () => () =>
      call(`${seeded.url}/chat/Dialog/${seeded.dialogId}.json`, 200, { headers: tokenHeader(seeded.reader) }),
  },
  {
    name: 'delete one for all',
    turn: (seeded) => async () => {
      const id = await send(seeded);
      return () => remove(seeded, seeded.writer, id, { force: 1 });
    },
  },
  { name: 'send one', turn: (seeded) => async () => () => send(seeded) },
  {
    name: 'send one by its key',
    turn: (seeded) => async () => () => send(seeded, { 'Idempotency-Key': randomUUID() }),
  },
  {
    name: 'send one again by its key',
    turn: (seeded) => async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const id = await send(seeded, headers);
      return async () => deepStrictEqual(await send(seeded, headers), id);
    },
  },
];

async function send(seeded: SeededDialog, headers?: Record<string, string>): Promise<string> {
  if (!headers) return JSON.parse(await sendMessage(seeded.url, seeded.writer, seeded.dialogId, TEXT))._id;
  const sent = await call(`${seeded.url}/chat/Message.json`, 201, {
    method: 'POST',
    headers: { ...tokenHeader(seeded.writer), ...headers },
    json: JSON.parse(messageBody(seeded.dialogId, TEXT)),
  });
  return JSON.parse(sent)._id;
}

function change(seeded: SeededDialog, person: Person, path: string, json: object): Promise<string> {
  return call(`${seeded.url}/chat/Message${path}.json`, 200, { method: 'PUT', headers: tokenHeader(person), json });
}

async function remove(seeded: SeededDialog, person: Person, id: string, json: object): Promise<void> {
  const headers = tokenHeader(person);
  const answer = await call(`${seeded.url}/chat/Message/${id}.json`, 200, { method: 'DELETE', headers, json });
  deepStrictEqual(JSON.parse(answer).SuccessfullyDeleted.ids, [id]);
}

function places({ size }: SeededDialog, shift: (seq: number) => number): () => string {
  let place = 0;
  return () => {
    place = (place + 1) % PLACES;
    return messageId(shift(Math.floor(((place + 0.5) * size) / PLACES)));
  };
}
