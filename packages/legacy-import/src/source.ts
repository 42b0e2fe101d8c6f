import { randomInt } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ChatAccount, SourceChat } from './chat-client.ts';
import type { SourceClient } from './client.ts';
import type { SourceCredentials } from './credentials.ts';
import { MigrationError, SourceError } from './errors.ts';
import { sign, unixSeconds } from './service.ts';
import { RESPONSES, readResponse, type SourceDialog, type SourceMessage } from './shapes.ts';

export const PAGE = 100;

export type Reader = number | 'all';

type Query = Record<string, string | number>;

export class Source {
  readonly #client: SourceClient;
  readonly #credentials: SourceCredentials;
  readonly #chatEndpoint: string | undefined;
  readonly #tokens = new Map<number, { token: string; login: string; password: string }>();

  /** @param chatEndpoint undefined: the chat is not read */
  constructor(client: SourceClient, credentials: SourceCredentials, chatEndpoint?: string) {
    this.#client = client;
    this.#credentials = credentials;
    this.#chatEndpoint = chatEndpoint;
  }

  get hasKey(): boolean {
    return this.#credentials.apiKey !== undefined;
  }

  get signedIn(): number[] {
    return [...this.#tokens.keys()].sort((a, b) => a - b);
  }

  canReadAs(userId: number): boolean {
    return this.hasKey || this.#tokens.has(userId);
  }

  now(): Date {
    return this.#client.now();
  }

  get requests(): number {
    return this.#client.requests;
  }

  async signIn(): Promise<void> {
    if (this.hasKey) return;
    for (const { login, password } of this.#credentials.users) await this.#openSession(login, password);
  }

  users(after: number) {
    const query = { 'filter[]': `number id gt ${after}`, order: 'asc number id', per_page: PAGE };
    return this.#get(RESPONSES.users, '/users.json', query, this.#defaultReader());
  }

  async classes() {
    return (await this.#get(RESPONSES.classes, '/class.json', {}, 'all')).items;
  }

  async records(className: string, after: string, reader: Reader) {
    const query = { ...afterId(after), sort_asc: '_id', limit: PAGE, permissions: 1 };
    return (await this.#get(RESPONSES.records, `/data/${className}.json`, query, reader)).items;
  }

  countRecords(className: string, reader: Reader): Promise<number> {
    return this.#get(RESPONSES.count, `/data/${className}.json`, { count: 1 }, reader);
  }

  dialogs(after: string, reader: Reader) {
    return this.#get(RESPONSES.dialogs, '/chat/Dialog.json', { ...afterId(after), ...BY_ID }, reader);
  }

  /** Without public groups. */
  dialogIds(after: string, reader: Reader) {
    const query = { ...afterId(after), ...BY_ID, 'type[in]': '2,3' };
    return this.#get(RESPONSES.dialogIds, '/chat/Dialog.json', query, reader);
  }

  /** By date; does not mark them as read. */
  async messages({ id }: Pick<SourceDialog, 'id'>, window: MessageWindow, reader: Reader): Promise<SourceMessage[]> {
    const { items } = await this.#get(RESPONSES.messages, '/chat/Message.json', messageQuery(id, window), reader);
    const foreign = items.find(({ dialogId }) => dialogId !== id);
    if (foreign) throw new MigrationError(`GET /chat/Message.json: ${foreign.id} belongs to another dialog than ${id}`);
    return items;
  }

  async messageIds({ id }: Pick<SourceDialog, 'id'>, window: MessageWindow, reader: Reader) {
    return (await this.#get(RESPONSES.messageIds, '/chat/Message.json', messageQuery(id, window), reader)).items;
  }

  countMessages({ id }: Pick<SourceDialog, 'id'>, reader: Reader): Promise<number> {
    const query = { chat_dialog_id: id, count: 1, mark_as_read: 0 };
    return this.#get(RESPONSES.count, '/chat/Message.json', query, reader);
  }

  async isNotified({ id }: Pick<SourceDialog, 'id'>, reader: Reader): Promise<boolean> {
    return (await this.#get(RESPONSES.notifications, `/chat/Dialog/${id}/notifications.json`, {}, reader)).enabled;
  }

  /** User ids by name; names ordered by first use. */
  reactions(messageId: string, reader: Reader) {
    return this.#get(RESPONSES.reactions, `/chat/Message/${messageId}/reactions.json`, {}, reader);
  }

  /** In the order of adding. */
  ownReactions(messageId: string, reader: Reader): Promise<string[]> {
    return this.#get(RESPONSES.ownReactions, `/chat/Message/${messageId}.json`, {}, reader);
  }

  /** Of the users whose chat can be read, by user id. */
  async chatAccounts(applicationId: number): Promise<ChatAccount[]> {
    if (this.#chatEndpoint === undefined) return [];
    const reader = this.#defaultReader();
    const { chat_endpoint: domain } = await this.#get(RESPONSES.settings, '/account_settings.json', {}, reader);
    const accounts: ChatAccount[] = [];
    for (const { login, password } of this.#credentials.users) {
      const { id } = await this.#get(RESPONSES.user, '/users/by_login.json', { login }, reader);
      accounts.push({ domain, applicationId, userId: id, password });
    }
    return accounts.sort((a, b) => a.userId - b.userId);
  }

  chat(account: ChatAccount): Promise<SourceChat> {
    return this.#client.chat(this.#chatEndpoint!, account);
  }

  blobs(page: number, reader: Reader) {
    return this.#get(RESPONSES.blobs, '/blobs.json', { page, per_page: PAGE }, reader);
  }

  blobFile<Result>(id: number, reader: Reader, use: (stream: Readable) => Promise<Result>): Promise<Result> {
    return this.#client.file({ path: `/blobs/${id}/download`, headers: this.#headers(reader) }, use);
  }

  recordFile<Result>(
    { className, id, field }: { className: string; id: string; field: string },
    use: (stream: Readable) => Promise<Result>,
  ): Promise<Result> {
    const path = `/data/${className}/${id}/file.json`;
    return this.#client.file(
      { path, query: { field_name: field }, headers: this.#headers(this.#defaultReader()) },
      use,
    );
  }

  #defaultReader(): Reader {
    return this.hasKey ? 'all' : this.signedIn[0]!;
  }

  async #get<Shape extends z.ZodType>(shape: Shape, path: string, query: Query, reader: Reader) {
    const send = () => this.#client.json({ path, query, headers: this.#headers(reader) });
    const body = await send().catch(async (error) => {
      const session = typeof reader === 'number' ? this.#tokens.get(reader) : undefined;
      if (!(error instanceof SourceError) || error.status !== 401 || !session) throw error;
      // The session expired, for example during a wait.
      await this.#openSession(session.login, session.password);
      return send();
    });
    return readResponse(shape, body, `GET ${path}`);
  }

  #headers(reader: Reader): Record<string, string> {
    const { apiKey, tokenHeader } = this.#credentials;
    if (apiKey !== undefined) {
      return { Authorization: `ApiKey ${apiKey}`, ...(reader === 'all' ? {} : { 'On-Behalf-Of': String(reader) }) };
    }
    const session = reader === 'all' ? undefined : this.#tokens.get(reader);
    if (!session) throw new SourceError('an API key is required', 403, '');
    return { [tokenHeader]: session.token };
  }

  async #openSession(login: string, password: string): Promise<void> {
    const { applicationId, authKey, authSecret, signatureHash } = this.#credentials;
    const signed = {
      application_id: String(applicationId),
      auth_key: authKey!,
      nonce: String(randomInt(2 ** 31)),
      timestamp: String(unixSeconds(this.now())),
      'user[login]': login,
      'user[password]': password,
    };
    const signature = sign(Object.entries(signed), authSecret!, signatureHash);
    const body = new URLSearchParams({ ...signed, signature }).toString();
    const response = await this.#client.json({ method: 'POST', path: '/session.json', headers: {}, body });
    const { session } = readResponse(RESPONSES.session, response, 'POST /session.json');
    this.#tokens.set(session.user_id, { token: session.token, login, password });
  }
}

/** `from` in Unix seconds. */
export interface MessageWindow {
  from: number;
  skip: number;
  changedSince?: number | undefined;
}

/** Starts at the last second seen, because more messages of that second may follow. */
export function nextWindow({ from, skip, ...others }: MessageWindow, dates: number[]): MessageWindow {
  const last = dates.at(-1)!;
  return { ...others, from: last, skip: last === from ? skip + dates.length : 0 };
}

function messageQuery(dialogId: string, { from, skip, changedSince }: MessageWindow): Query {
  return {
    chat_dialog_id: dialogId,
    mark_as_read: 0,
    sort_asc: 'date_sent',
    'date_sent[gte]': from,
    ...(changedSince === undefined ? {} : { 'updated_at[gte]': changedSince }),
    skip,
    limit: PAGE,
  };
}

const BY_ID = { sort_asc: '_id', limit: PAGE };

function afterId(id: string): Query {
  return id === '' ? {} : { '_id[gt]': id };
}
