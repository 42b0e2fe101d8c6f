import { addTo, removeFrom } from '../lib/collections.ts';
import type { Bus } from './bus.ts';
import { CLOCK, type Clock } from './clock.ts';
import { SharedKeys } from './shared-keys.ts';

/** A connection of a user to a transport that has rooms. */
export interface Resource {
  applicationId: number;
  userId: number;
  /** Name that is unique among the connections of the user. */
  resource: string;
}

/** The first connection of a user has joined a dialog, or the last one has left it; or a connection began or ended. */
export type RoomChange =
  | { applicationId: number; userId: number; dialogId: string; isJoined: boolean }
  | (Resource & { isAvailable: boolean });

/** Of the streams of legacy chat clients, in this process since it started. */
export interface ChatFigures {
  /** Whether the chat is served. */
  readonly isOn: boolean;
  /** Open ones. */
  streams: number;
  refusedSignIns: number;
  /** That the service has ended with an error. */
  failedStreams: number;
}

/** A longer list of who is in a room is cut. */
export const MAX_LISTED = 200;

const TOPIC = 'rooms';

/** Named connections of users in all processes, and the dialogs that they have joined. */
export class Rooms {
  readonly #keys: SharedKeys;
  /** Connections by application and user. */
  readonly #resources = new Map<string, Set<string>>();
  /** Connections that have joined, by dialog and then by user. */
  readonly #joined = new Map<string, Map<number, Set<string>>>();
  readonly #listeners = new Set<(change: RoomChange) => void>();

  constructor(bus: Bus, clock: Clock = CLOCK) {
    this.#keys = new SharedKeys(TOPIC, bus, clock, (keys, change) => this.#noticing(keys, change));
  }

  start(): void {
    this.#keys.start();
  }

  stop(): void {
    this.#keys.stop();
  }

  /** Changes in any process. @returns stops listening */
  onChange(listener: (change: RoomChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @returns ends the connection; leave its dialogs before */
  connect({ applicationId, userId, resource }: Resource): () => void {
    return this.#keys.add(JSON.stringify([applicationId, userId, resource]));
  }

  /** @returns leaves the dialog */
  join(dialogId: string, { applicationId, userId, resource }: Resource): () => void {
    return this.#keys.add(JSON.stringify([applicationId, userId, resource, dialogId]));
  }

  /** Names of the connections of a user. */
  resources({ applicationId, userId }: Omit<Resource, 'resource'>): string[] {
    return [...(this.#resources.get(`${applicationId}:${userId}`) ?? [])];
  }

  /** Ids of the users who have joined, ascending. */
  joined(applicationId: number, dialogId: string): number[] {
    return [...(this.#joined.get(`${applicationId}:${dialogId}`)?.keys() ?? [])].sort((a, b) => a - b);
  }

  /** Number of dialogs that users have joined. */
  get count(): number {
    return this.#joined.size;
  }

  isJoined(applicationId: number, dialogId: string, userId: number): boolean {
    return this.#joined.get(`${applicationId}:${dialogId}`)?.has(userId) ?? false;
  }

  #noticing(keys: Iterable<string>, change: () => void): void {
    // A copy, because `change` may replace the keys of a process.
    const changing = [...keys];
    const before = new Set(changing.filter((key) => this.#keys.has(key)));
    change();
    for (const key of changing) {
      const isThere = this.#keys.has(key);
      if (isThere !== before.has(key)) this.#apply(key, isThere);
    }
  }

  #apply(key: string, isThere: boolean): void {
    const [applicationId, userId, resource, dialogId] = JSON.parse(key) as [number, number, string, string?];
    if (dialogId === undefined) {
      const change = isThere ? addTo : removeFrom;
      change(this.#resources, `${applicationId}:${userId}`, resource);
      this.#notify({ applicationId, userId, resource, isAvailable: isThere });
      return;
    }
    const dialogKey = `${applicationId}:${dialogId}`;
    const users = this.#joined.get(dialogKey) ?? new Map<number, Set<string>>();
    const wasJoined = users.has(userId);
    if (isThere) addTo(users, userId, resource);
    else removeFrom(users, userId, resource);
    if (users.size > 0) this.#joined.set(dialogKey, users);
    else this.#joined.delete(dialogKey);
    if (users.has(userId) !== wasJoined) this.#notify({ applicationId, userId, dialogId, isJoined: isThere });
  }

  #notify(change: RoomChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
