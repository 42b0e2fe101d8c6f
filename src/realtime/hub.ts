import pg from 'pg';
import type { Logger } from 'pino';
import type { KnownViewer } from '../lib/access.ts';
import { SECOND } from '../lib/time.ts';
import { Audience, type Knowing } from './audience.ts';
import { type Outbox, WAKE_CHANNEL } from './outbox.ts';
import { GAP_RETRY_MS, OutboxReader, type StreamRow } from './outbox-reader.ts';
import { LiveEvent, Watch, type WatchedDialogs } from './watch.ts';

/** A notification can be lost (its sender killed after the commit, say): then the stream is looked at after this. */
const LOOK_EVERY = SECOND;

const RECONNECT_AFTER = 500;

/**
 * The one reader of the stream in this process. It wakes at notifications, finds for each row the watches that
 * want it and may know of it, and hands it to them in order. It reads only while somebody listens.
 */
export class Hub {
  readonly #outbox: Outbox;
  readonly #database: pg.ClientConfig;
  readonly #log: Logger;
  readonly #reader = new OutboxReader();
  readonly #audience = new Audience();
  /** Watches of one dialog, by its id. */
  readonly #ofDialog = new Map<string, Set<Watch>>();
  /** Watches of all the dialogs of a user, by application and user; of an API key alone under `*`. */
  readonly #ofUser = new Map<string, Set<Watch>>();
  /** Who has to look at their credentials again, by what the credentials depend on. */
  readonly #credentials = new Map<string, Set<() => void>>();
  #listeners = 0;
  #started: Promise<void> | undefined;
  #isDraining = false;
  #isWanted = false;
  #isStopped = false;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #relisten: NodeJS.Timeout | undefined;

  constructor(outbox: Outbox, database: pg.ClientConfig, log: Logger) {
    this.#outbox = outbox;
    this.#database = database;
    this.#log = log;
  }

  async start(): Promise<void> {
    this.#outbox.onWake(() => this.#look());
    await this.#listen();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#relisten);
    await this.#client?.end().catch(() => {});
  }

  /** Ends every watch in good order, so that nothing keeps its connection open. */
  endWatches(): void {
    for (const watches of [...this.#ofDialog.values(), ...this.#ofUser.values()]) {
      for (const watch of [...watches]) void watch.return();
    }
  }

  /** Watches that are open. */
  get watchCount(): number {
    let count = 0;
    for (const watches of [...this.#ofDialog.values(), ...this.#ofUser.values()]) count += watches.size;
    return count;
  }

  /** Takes a watch in. What happened before is delivered only behind `since`; from here on nothing is missed. */
  async watch(watched: WatchedDialogs, since: bigint | undefined): Promise<Watch> {
    await this.#retain();
    const watch = new Watch(
      watched,
      since,
      (rows) => this.#audience.mayPass(rows, watched),
      () => this.#leave(watch),
    );
    // A cursor from another process may be ahead of what this one has read.
    const { horizon } = this.#reader;
    watch.startsAfter = since !== undefined && since > horizon ? since : horizon;
    add(...this.#placeOf(watched), watch);
    return watch;
  }

  /**
   * Calls back when the viewer's credentials may have ended or changed, on whatever process: whether they still hold
   * is for the caller to ask, as what happened may lie before they were opened. @returns stops listening
   */
  async onCredentialsChanged(viewer: KnownViewer, callback: () => void): Promise<() => void> {
    await this.#retain();
    const places = credentialPlaces(viewer);
    for (const place of places) add(this.#credentials, place, callback);
    let isListening = true;
    return () => {
      for (const place of places) remove(this.#credentials, place, callback);
      if (isListening) this.#listeners--;
      isListening = false;
    };
  }

  #leave(watch: Watch): void {
    if (remove(...this.#placeOf(watch.watched), watch)) this.#listeners--;
  }

  #placeOf({ viewer, dialogId }: WatchedDialogs): [Map<string, Set<Watch>>, string] {
    if (dialogId !== undefined) return [this.#ofDialog, dialogId];
    return [this.#ofUser, placeOfUser(viewer.applicationId, viewer.kind === 'user' ? viewer.userId : '*')];
  }

  /** The first listener makes the reader start at the end of the stream. */
  async #retain(): Promise<void> {
    this.#listeners++;
    if (this.#listeners === 1) this.#started = undefined;
    try {
      this.#started ??= this.#reader.start();
      await this.#started;
    } catch (error) {
      this.#listeners--;
      this.#started = undefined;
      throw error;
    }
  }

  #look(): void {
    this.#isWanted = true;
    if (this.#isDraining || this.#listeners === 0 || this.#isStopped) return;
    this.#isDraining = true;
    void this.#drain().finally(() => {
      this.#isDraining = false;
    });
  }

  async #drain(): Promise<void> {
    try {
      await this.#started;
      while (this.#isWanted && this.#listeners > 0 && !this.#isStopped) {
        this.#isWanted = false;
        const { rows, isBehind } = await this.#reader.read();
        if (rows.length > 0) await this.#dispatch(rows);
        if (isBehind === 'gap') await new Promise((resolve) => setTimeout(resolve, GAP_RETRY_MS));
        if (isBehind !== 'no') this.#isWanted = true;
      }
    } catch (error) {
      if (!this.#isStopped) this.#log.warn({ err: error }, 'the event stream could not be read; trying again');
    }
  }

  async #dispatch(rows: StreamRow[]): Promise<void> {
    const knowing = await this.#audience.of(rows.filter((row) => this.#isWatched(row)));
    for (const row of rows) {
      for (const callback of this.#credentials.get(placeOfCredential(row)) ?? []) callback();
      if (this.#isWatched(row)) this.#deliver(row, knowing(row));
    }
  }

  #isWatched({ dialogId }: StreamRow): boolean {
    return dialogId !== null && (this.#ofDialog.has(dialogId) || this.#ofUser.size > 0);
  }

  #deliver(row: StreamRow, audience: Knowing): void {
    if (row.memberVersion === null) return; // the dialog is gone
    const event = new LiveEvent(row);
    const deliver = (watch: Watch) => {
      const { viewer, kind } = watch.watched;
      if (kind !== row.kind || viewer.applicationId !== row.applicationId) return;
      if (viewer.kind === 'user' && audience !== 'everyone' && !audience.has(viewer.userId)) return;
      if (row.position > watch.startsAfter) watch.push(event);
    };
    for (const watch of this.#ofDialog.get(row.dialogId!) ?? []) deliver(watch);
    for (const watch of this.#ofUser.get(placeOfUser(row.applicationId, '*')) ?? []) deliver(watch);
    for (const watch of this.#watchesOfUsers(row.applicationId, audience)) deliver(watch);
  }

  /** Looks from the shorter side: few users listening to a large group, or many to a small one. */
  *#watchesOfUsers(applicationId: number, audience: Knowing): Iterable<Watch> {
    if (audience !== 'everyone' && audience.size <= this.#ofUser.size) {
      for (const userId of audience) yield* this.#ofUser.get(placeOfUser(applicationId, userId)) ?? [];
    } else {
      for (const [place, watches] of this.#ofUser) {
        if (place !== placeOfUser(applicationId, '*')) yield* watches;
      }
    }
  }

  async #listen(): Promise<void> {
    const client = new pg.Client(this.#database);
    client.on('notification', ({ payload }) => {
      if (payload !== this.#outbox.origin) this.#look();
    });
    client.on('error', () => {});
    client.on('end', () => this.#listenAgain());
    await client.connect();
    await client.query(`LISTEN ${WAKE_CHANNEL}`);
    this.#client = client;
    if (this.#isStopped) await client.end();
  }

  #listenAgain(): void {
    if (this.#isStopped) return;
    this.#relisten ??= setTimeout(() => {
      this.#relisten = undefined;
      if (!this.#isStopped)
        this.#listen().then(
          () => this.#look(),
          (error) => this.#lost(error),
        );
    }, RECONNECT_AFTER).unref();
  }

  #lost(error: unknown): void {
    this.#log.warn({ err: error }, 'notifications can not be heard; trying again');
    this.#listenAgain();
  }
}

/** Names what a row tells of: `sessionEnded 92 7`. */
function placeOfCredential({
  kind,
  applicationId,
  subjectId,
}: Pick<StreamRow, 'kind' | 'applicationId' | 'subjectId'>) {
  return `${kind} ${applicationId} ${subjectId}`;
}

/** What the credentials of a viewer can end or change by. */
function credentialPlaces(viewer: KnownViewer): string[] {
  const { applicationId } = viewer;
  const place = (kind: StreamRow['kind'], subject: number) =>
    placeOfCredential({ kind, applicationId, subjectId: String(subject) });
  const places: string[] = [];
  if ('session' in viewer && viewer.session) {
    places.push(place('sessionEnded', viewer.session.id), place('sessionMinutesChanged', applicationId));
  }
  if ('apiKeyId' in viewer && viewer.apiKeyId !== undefined) places.push(place('apiKeyRevoked', viewer.apiKeyId));
  if (viewer.kind === 'user') places.push(place('userDeleted', viewer.userId));
  return places;
}

function placeOfUser(applicationId: number, user: number | '*'): string {
  return `${applicationId}:${user}`;
}

function add<Item>(map: Map<string, Set<Item>>, key: string, item: Item): void {
  const items = map.get(key);
  if (items) items.add(item);
  else map.set(key, new Set([item]));
}

function remove<Item>(map: Map<string, Set<Item>>, key: string, item: Item): boolean {
  const items = map.get(key);
  if (!items?.delete(item)) return false;
  if (items.size === 0) map.delete(key);
  return true;
}
