import { AtriumError, type AtriumErrorCode, mayPass } from '../errors.ts';
import { newKey } from '../keys.ts';
import { pause, pauseBefore } from '../pauses.ts';
import type { MessageContent, SentMessage } from './chat-types.ts';
import type { DeviceStorage } from './device-storage.ts';
import { channelOf, inTurn } from './locks.ts';
import { quiet, Store } from './store.ts';

/** A message that the service has not accepted. */
export interface OutboxEntry extends MessageContent {
  /** Key of the message, so that it is stored once however often it is sent. */
  key: string;
  userId: number;
  dialogId: string;
  /** Milliseconds since 1970; also the order. */
  createdAt: number;
  /** `failed`: the service refused it. It is sent again only by `retry`. */
  state: 'pending' | 'failed';
  attempts: number;
  error?: { code: AtriumErrorCode; message: string };
}

export interface OutboxOptions {
  /** Distinguishes services and applications. */
  name: string;
  storage: DeviceStorage;
  send: (entry: OutboxEntry) => Promise<SentMessage>;
}

type Notice = { type: 'changed' } | { type: 'sent'; entry: OutboxEntry; message: SentMessage };

/** After this number of internal errors, the service counts as refusing the message. */
const MAX_INTERNAL_ERRORS = 10;

/**
 * Sends messages in order per dialog until the service accepts or refuses each, across reloads and tabs. One tab at a
 * time sends the messages of a dialog.
 */
export class Outbox {
  /** Entries of the current user in order. */
  readonly entries = new Store<readonly OutboxEntry[]>([]);
  readonly #options: OutboxOptions;
  readonly #channel: BroadcastChannel | undefined;
  readonly #waiting = new Map<string, { resolve: (message: SentMessage) => void; reject: (error: unknown) => void }>();
  readonly #workers = new Map<string, Promise<void>>();
  readonly #onSent = new Set<(entry: OutboxEntry, message: SentMessage) => void>();
  #userId: number | undefined;
  #stopped = new AbortController();
  #pause = new AbortController();
  #lastTime = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    if (typeof navigator === 'undefined' || !navigator.locks) return;
    this.#channel = channelOf<Notice>(`atrium-outbox:${options.name}`, (notice) => {
      if (notice.type === 'sent' && notice.entry.userId === this.#userId) this.#sent(notice.entry, notice.message);
      else void this.#load().catch(() => {});
    });
  }

  /** Begins to send what `userId` left; undefined pauses, for example without a session. */
  use(userId: number | undefined): void {
    if (userId === this.#userId) {
      this.wake();
      return;
    }
    this.#stopped.abort();
    this.#stopped = new AbortController();
    this.#userId = userId;
    this.entries.set([]);
    if (userId !== undefined) void this.#load().catch(() => {});
  }

  /** Retries at once instead of after the current pause, also what a tab has left that was closed. */
  wake(): void {
    if (this.#userId !== undefined) void this.#load().catch(() => this.#retry());
  }

  #retry(): void {
    this.#pause.abort();
    this.#pause = new AbortController();
    for (const { dialogId, state } of this.entries.get()) if (state === 'pending') this.#work(dialogId);
  }

  /** @returns the stored message; rejects if the service refuses it or it is discarded */
  add(dialogId: string, content: MessageContent): Promise<SentMessage> {
    const userId = this.#userId;
    if (userId === undefined) {
      return quiet(Promise.reject(new AtriumError('UNAUTHENTICATED', 'Sign in before you send messages')));
    }
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    const entry: OutboxEntry = {
      ...content,
      key: newKey(),
      userId,
      dialogId,
      createdAt: this.#lastTime,
      state: 'pending',
      attempts: 0,
    };
    this.#show(entry);
    const sent = new Promise<SentMessage>((resolve, reject) => this.#waiting.set(entry.key, { resolve, reject }));
    void this.#store(entry).then(() => this.#work(dialogId));
    return quiet(sent);
  }

  /** Sends a failed message again. */
  async retry(key: string): Promise<void> {
    const entry = this.#find(key);
    if (!entry) return;
    const { error: _, ...rest } = entry;
    await this.#change({ ...rest, state: 'pending', attempts: 0 });
    this.#work(entry.dialogId);
  }

  /** Removes a message. One that is being sent may already be stored by the service. */
  async discard(key: string): Promise<void> {
    this.entries.set(this.entries.get().filter((entry) => entry.key !== key));
    this.#settle(key)?.reject(new AtriumError('DISCARDED', 'The message was discarded'));
    await this.#options.storage.delete('outbox', key);
    this.#channel?.postMessage({ type: 'changed' });
  }

  async discardAll(): Promise<void> {
    for (const { key } of this.entries.get()) await this.discard(key);
  }

  onSent(listener: (entry: OutboxEntry, message: SentMessage) => void): () => void {
    this.#onSent.add(listener);
    return () => this.#onSent.delete(listener);
  }

  close(): void {
    this.use(undefined);
    this.#channel?.close();
  }

  async #load(): Promise<void> {
    const stored = (await this.#options.storage.all('outbox')) as OutboxEntry[];
    const own = stored.filter(({ userId }) => userId === this.#userId).sort((a, b) => a.createdAt - b.createdAt);
    // An entry that is shown, but not yet stored, stays.
    const known = new Set(own.map(({ key }) => key));
    const unstored = this.entries.get().filter(({ key }) => this.#unstored.has(key) && !known.has(key));
    this.#lastTime = Math.max(this.#lastTime, own.at(-1)?.createdAt ?? 0);
    this.entries.set([...own, ...unstored]);
    for (const { key } of this.#failedAmong(own)) this.#settle(key)?.reject(this.#errorOf(key));
    this.#retry();
  }

  readonly #unstored = new Set<string>();

  #failedAmong(entries: OutboxEntry[]): OutboxEntry[] {
    return entries.filter(({ key, state }) => state === 'failed' && this.#waiting.has(key));
  }

  #errorOf(key: string): AtriumError {
    const { code, message } = this.#find(key)?.error ?? { code: 'UNREACHABLE', message: 'Not sent' };
    return new AtriumError(code as AtriumErrorCode, message);
  }

  #work(dialogId: string): void {
    if (this.#workers.has(dialogId) || this.#userId === undefined) return;
    const stopped = this.#stopped.signal;
    const lock = `atrium-outbox:${this.#options.name}:${this.#userId}:${dialogId}`;
    const worker = inTurn(lock, stopped, () => this.#sendAll(dialogId, stopped))
      .catch(() => {})
      .finally(() => {
        this.#workers.delete(dialogId);
        const isMore = this.#next(dialogId) !== undefined;
        if (isMore && !stopped.aborted && !this.#isUnauthenticated) this.#work(dialogId);
      });
    this.#workers.set(dialogId, worker);
  }

  #isUnauthenticated = false;

  async #sendAll(dialogId: string, stopped: AbortSignal): Promise<void> {
    this.#isUnauthenticated = false;
    for (let failures = 0; !stopped.aborted; ) {
      const entry = this.#next(dialogId);
      if (!entry) return;
      // Another tab may have sent or discarded it.
      const stored = await this.#options.storage.get('outbox', entry.key).catch(() => entry);
      if (!stored && !this.#unstored.has(entry.key)) {
        this.entries.set(this.entries.get().filter(({ key }) => key !== entry.key));
        continue;
      }
      try {
        const message = await this.#options.send(entry);
        failures = 0;
        await this.#options.storage.delete('outbox', entry.key).catch(() => {});
        this.#channel?.postMessage({ type: 'sent', entry, message });
        this.#sent(entry, message);
      } catch (error) {
        if (stopped.aborted) return;
        const attempts = entry.attempts + 1;
        if (isUnauthenticated(error)) {
          this.#isUnauthenticated = true; // continues with the next session
          return;
        }
        if (!maySucceed(error, attempts)) await this.#fail({ ...entry, attempts }, error);
        else {
          await this.#change({ ...entry, attempts });
          await pause(
            pauseBefore(failures++, (error as AtriumError).retryAfter),
            AbortSignal.any([this.#pause.signal, stopped]),
          );
        }
      }
    }
  }

  #next(dialogId: string): OutboxEntry | undefined {
    return this.entries.get().find((entry) => entry.dialogId === dialogId && entry.state === 'pending');
  }

  #find(key: string): OutboxEntry | undefined {
    return this.entries.get().find((entry) => entry.key === key);
  }

  #show(entry: OutboxEntry): void {
    this.entries.set([...this.entries.get(), entry]);
  }

  /** A device that cannot store it, for example because it is full, still sends it. */
  async #store(entry: OutboxEntry): Promise<void> {
    this.#unstored.add(entry.key);
    try {
      await this.#options.storage.put('outbox', entry.key, entry);
      this.#unstored.delete(entry.key);
      this.#channel?.postMessage({ type: 'changed' });
    } catch {
      // remains in memory
    }
  }

  /** Does nothing after `discard`. */
  async #change(entry: OutboxEntry): Promise<void> {
    if (!this.#find(entry.key)) return;
    this.entries.set(this.entries.get().map((one) => (one.key === entry.key ? entry : one)));
    await this.#store(entry);
  }

  async #fail(entry: OutboxEntry, error: unknown): Promise<void> {
    const { code, message } =
      error instanceof AtriumError ? error : { code: 'INTERNAL_SERVER_ERROR' as const, message: String(error) };
    await this.#change({ ...entry, state: 'failed', error: { code, message } });
    this.#settle(entry.key)?.reject(error);
  }

  #sent(entry: OutboxEntry, message: SentMessage): void {
    this.#unstored.delete(entry.key);
    for (const listener of this.#onSent) listener(entry, message);
    this.entries.set(this.entries.get().filter(({ key }) => key !== entry.key));
    this.#settle(entry.key)?.resolve(message);
  }

  #settle(key: string) {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    return waiting;
  }
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof AtriumError && error.code === 'UNAUTHENTICATED';
}

function maySucceed(error: unknown, attempts: number): boolean {
  return mayPass(error) && (error.code !== 'INTERNAL_SERVER_ERROR' || attempts < MAX_INTERNAL_ERRORS);
}
