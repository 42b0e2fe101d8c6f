import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hashSecret, SESSION_TOKEN_BYTES, sessionToken } from '../src/lib/tokens.ts';
import { call, createPerson, type Person, sendMessage, tokenHeader } from './calls.ts';
import type { Environment } from './environment.ts';
import { queries } from './seeded.ts';
import { startSeededUsers } from './seeded-users.ts';
import { APPLICATION } from './service.ts';
import type { SubscriberProcesses } from './subscriber-processes.ts';

/** Other file descriptors of a process: the database, Redis, files. */
const OTHER_DESCRIPTORS = 100;
const SEND_EVERY_MS = 1_000;

export interface SeededSockets extends Pick<Environment, 'cleanup' | 'folder' | 'seconds'> {
  databaseUrl: string;
  /** Of a session each. */
  tokens: string[];
  dialogId: string;
  sender: Person;
  /** Sent by a service process that has no sockets. */
  messages: Messages;
}

/** @param type of the dialog: 1 public, 2 a group of all users */
export async function startSeededSockets(
  count: number,
  environment: Environment,
  type: 1 | 2 = 2,
): Promise<SeededSockets> {
  const { cleanup, folder, seconds } = environment;
  const { url, databaseUrl, caller: sender } = await startSeededUsers(count, environment, `sockets_${type}`);
  const tokens = Array.from({ length: count }, () => sessionToken(APPLICATION.id, randomBytes(SESSION_TOKEN_BYTES)));
  const dialog = {
    type,
    name: 'bench sockets',
    occupants_ids: type === 2 ? [(await createPerson(url, 'first')).id] : [],
  };
  const created = await call(`${url}/chat/Dialog.json`, 201, {
    method: 'POST',
    headers: tokenHeader(sender),
    json: dialog,
  });
  const { _id: dialogId } = JSON.parse(created);
  await queries(databaseUrl, [
    `INSERT INTO sessions (application_id, user_id, token_hash, nonce, timestamp, created_at, updated_at)
     SELECT u.application_id, u.id, t.hash, t.nth, 0, now(), now()
     FROM unnest(ARRAY['${tokens.map(hashSecret).join("','")}']) WITH ORDINALITY t (hash, nth)
     JOIN users u ON u.login = 'user-' || t.nth`,
    `INSERT INTO members (application_id, dialog_id, user_id, joined_at)
     SELECT application_id, '${dialogId}', id, now() FROM users WHERE login LIKE 'user-%' AND ${type} = 2`,
    `UPDATE dialogs SET member_version = member_version + 1 WHERE id = '${dialogId}'`,
    'VACUUM ANALYZE',
  ]);
  const messages = new Messages((text) => sendMessage(url, sender, dialogId, text));
  return { databaseUrl, tokens, dialogId, sender, messages, cleanup, folder, seconds };
}

/** Sockets that one process may have open. */
export function maxSockets(): number {
  const [, limit] = /^Max open files +\d+ +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))!;
  return (Number(limit) || Number.POSITIVE_INFINITY) - OTHER_DESCRIPTORS;
}

/** Numbers the messages of one dialog. */
export class Messages {
  readonly #send: (text: string) => Promise<unknown>;
  #count = 0;

  constructor(send: (text: string) => Promise<unknown>) {
    this.#send = send;
  }

  next(): number {
    return ++this.#count;
  }

  async send(number = this.next()): Promise<void> {
    await this.sendText(`message ${number}`);
  }

  sendText(text: string): Promise<unknown> {
    return this.#send(text);
  }

  /** Sends a message a second, and notifies the subscribers of their numbers. */
  async whileSending<Result>(subscribers: SubscriberProcesses[], work: () => Promise<Result>): Promise<Result> {
    let isOver = false;
    const notify = () => {
      for (const one of subscribers) one.sent(this.#count);
    };
    notify();
    const sending = (async () => {
      while (!isOver) {
        // A server that was killed does not respond.
        await this.send().then(notify, () => {});
        await pause(SEND_EVERY_MS);
      }
    })();
    try {
      return await work();
    } finally {
      isOver = true;
      await sending;
    }
  }
}

export const socketUrl = (url: string) => `${url.replace('http', 'ws')}/graphql`;

export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
