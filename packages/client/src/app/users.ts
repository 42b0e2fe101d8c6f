import { AtriumError } from '../errors.ts';
import { UPDATE_USER, USER, USER_BY_LOGIN, USERS, userOf } from './chat-documents.ts';
import type { Page, User } from './chat-types.ts';
import type { Core } from './core.ts';
import { type Live, Store } from './store.ts';

const MAX_USERS = 100;
const COLLECT_MS = 20;

/** Finds users, and remembers those that were shown. */
export class Users {
  readonly #core: Core;
  readonly #known = new Map<number, Store<User | undefined>>();
  #wanted = new Set<number>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** Users whose name or login contains a text. Fails with `FORBIDDEN` if the application hides its list of users. */
  async search(
    text: string,
    { first = 20, after, signal }: { first?: number; after?: string | null; signal?: AbortSignal } = {},
  ): Promise<Page<User>> {
    const contains = text.trim();
    const filter = contains ? { or: [{ fullName: { contains } }, { login: { contains } }] } : undefined;
    const { users } = await this.#core.client.query(USERS, { filter, first, after }, { signal });
    const items = users.edges.map(({ node }) => userOf(node));
    for (const user of items) this.#store(user.id).set(user);
    return { items, hasMore: users.pageInfo.hasNextPage, cursor: users.pageInfo.endCursor };
  }

  /** @throws {AtriumError} `NOT_FOUND` */
  async byLogin(login: string): Promise<User> {
    return this.remember(userOf((await this.#core.client.query(USER_BY_LOGIN, { login })).userByLogin));
  }

  /** @throws {AtriumError} `NOT_FOUND` */
  async byId(id: number): Promise<User> {
    return this.remember(userOf((await this.#core.client.query(USER, { id })).user));
  }

  /** A user; undefined until loaded. Users that are asked for at the same time are loaded together. */
  get(id: number): Live<User | undefined> {
    return this.#store(id);
  }

  /** Changes the signed-in user. */
  async update(changes: { fullName?: string; email?: string; blobId?: number; customData?: string }): Promise<User> {
    const id = this.#core.userId();
    if (id === undefined) throw new AtriumError('UNAUTHENTICATED', 'Sign in before you change your profile');
    const { blobId, ...rest } = changes;
    const input = { ...rest, ...(blobId !== undefined && { blobId: String(blobId) }) };
    return this.remember(userOf((await this.#core.client.mutate(UPDATE_USER, { id, input })).updateUser));
  }

  remember(user: User): User {
    this.#store(user.id).set(user);
    this.#core.cache.save(`user:${user.id}`, user);
    return user;
  }

  #store(id: number): Store<User | undefined> {
    let store = this.#known.get(id);
    if (!store) {
      store = new Store<User | undefined>(undefined, () => {
        if (this.#known.get(id)!.get() === undefined) this.#want(id);
        return () => {};
      });
      this.#known.set(id, store);
    }
    return store;
  }

  #want(id: number): void {
    this.#wanted.add(id);
    if (this.#wanted.size > 1) return;
    setTimeout(() => {
      const ids = [...this.#wanted];
      this.#wanted = new Set();
      for (let start = 0; start < ids.length; start += MAX_USERS) void this.#load(ids.slice(start, start + MAX_USERS));
    }, COLLECT_MS);
  }

  async #load(ids: number[]): Promise<void> {
    for (const id of ids) {
      const user = await this.#core.cache.load<User>(`user:${id}`);
      if (user && !this.#store(id).get()) this.#store(id).set(user);
    }
    try {
      const { users } = await this.#core.client.query(USERS, { filter: { id: { in: ids } }, first: ids.length });
      for (const { node } of users.edges) this.remember(userOf(node));
    } catch (error) {
      // The application hides its list of users, but single ones can be read.
      if (error instanceof AtriumError && error.code !== 'UNREACHABLE') {
        await Promise.all(ids.map((id) => this.byId(id).catch(() => {})));
      }
    }
  }
}
