import type { ResultOf, VariablesOf } from '../generated/gql-tada.d.ts';
import { graphql } from '../schema.ts';
import { type Core, persistently } from './core.ts';
import { type Live, Store } from './store.ts';

const CONTACTS = graphql(`query ChatContacts { chatContacts { userId subscription requested pending } }`);
const CONTACT_CHANGED = graphql(`subscription ContactChanged($since: String) {
  contactChanged(since: $since) { cursor contact { userId subscription requested pending } }
}`);
const REQUEST = graphql(`mutation RequestContact($userId: Int!) { requestContact(userId: $userId) { userId } }`);
const ACCEPT = graphql(`mutation AcceptContact($userId: Int!) { acceptContact(userId: $userId) { userId } }`);
const REJECT = graphql(`mutation RejectContact($userId: Int!) { rejectContact(userId: $userId) { userId } }`);
const REMOVE = graphql(`mutation RemoveContact($userId: Int!) { removeContact(userId: $userId) { userId } }`);
const BLOCKED = graphql(`query BlockedUsers { blockedUsers { userId mutual } }`);
const BLOCK = graphql(`mutation BlockUser($userId: Int!, $mutual: Boolean!) {
  blockUser(userId: $userId, mutual: $mutual) { id }
}`);
const UNBLOCK = graphql(`mutation UnblockUser($userId: Int!) { unblockUser(userId: $userId) { id } }`);
const SEND_SIGNAL = graphql(`mutation SendSignal($input: SendSignalInput!) { sendSignal(input: $input) { id } }`);
const SIGNALS = graphql(`subscription Signals { signals { id kind senderId dialogId text payload } }`);

export type ChatContact = ResultOf<typeof CONTACTS>['chatContacts'][number];
export type BlockedUser = ResultOf<typeof BLOCKED>['blockedUsers'][number];
export type Signal = ResultOf<typeof SIGNALS>['signals'];
export type NewSignal = VariablesOf<typeof SEND_SIGNAL>['input'];

/** Contacts and blocks of the signed-in user, and signals, which are never stored. */
export class People {
  readonly #core: Core;
  /** With the open requests of both directions, kept up to date while something listens. */
  readonly contacts: Live<readonly ChatContact[]>;

  constructor(core: Core) {
    this.#core = core;
    const store: Store<readonly ChatContact[]> = new Store([] as readonly ChatContact[], () => this.#follow(store));
    core.stores.add(store as Store<unknown>);
    this.contacts = store;
  }

  /** Asks a user, who accepts or rejects. */
  async request(userId: number): Promise<void> {
    await this.#core.client.mutate(REQUEST, { userId });
  }

  /** Accepts a request and asks back. */
  async accept(userId: number): Promise<void> {
    await this.#core.client.mutate(ACCEPT, { userId });
  }

  async reject(userId: number): Promise<void> {
    await this.#core.client.mutate(REJECT, { userId });
  }

  /** Removes the contact from the lists of both. */
  async remove(userId: number): Promise<void> {
    await this.#core.client.mutate(REMOVE, { userId });
  }

  async blocked(): Promise<BlockedUser[]> {
    return (await this.#core.client.query(BLOCKED, {})).blockedUsers;
  }

  /** @param mutual whether the signed-in user cannot send to the other either */
  async block(userId: number, { mutual = true }: { mutual?: boolean } = {}): Promise<void> {
    await this.#core.client.mutate(BLOCK, { userId, mutual });
  }

  async unblock(userId: number): Promise<void> {
    await this.#core.client.mutate(UNBLOCK, { userId });
  }

  /** @returns the id of the signal */
  async sendSignal(input: NewSignal): Promise<string> {
    return (await this.#core.client.mutate(SEND_SIGNAL, { input })).sendSignal.id;
  }

  /** Calls `receive` with each signal from now on. @returns stops it */
  onSignal(receive: (signal: Signal) => void): () => void {
    const next = ({ signals }: ResultOf<typeof SIGNALS>) => receive(signals);
    const subscription = this.#core.client.subscribe(SIGNALS, {}, { next, end: () => {} });
    return () => subscription.stop();
  }

  #follow(store: Store<readonly ChatContact[]>): () => void {
    const { client, userId } = this.#core;
    if (userId() === undefined) {
      store.set([]);
      return () => {};
    }
    const stopped = new AbortController();
    const { signal } = stopped;
    const load = async () => {
      const answer = await persistently(() => client.query(CONTACTS, {}, { signal }), signal).catch(() => undefined);
      if (answer && !signal.aborted) store.set(answer.chatContacts);
    };
    const subscription = client.subscribe(
      CONTACT_CHANGED,
      {},
      {
        next: ({ contactChanged }) => store.set(changed(store.get(), contactChanged.contact)),
        onGap: load,
        end: () => {},
      },
    );
    subscription.ready.then(load, () => {});
    return () => {
      stopped.abort();
      subscription.stop();
    };
  }
}

function changed(contacts: readonly ChatContact[], contact: ChatContact): readonly ChatContact[] {
  const others = contacts.filter(({ userId }) => userId !== contact.userId);
  const isGone = contact.subscription === 'NONE' && !contact.requested && !contact.pending;
  return isGone ? others : [...others, contact].sort((a, b) => a.userId - b.userId);
}
