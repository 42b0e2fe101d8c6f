import { AtriumError } from '../errors.ts';
import type { ResultOf } from '../generated/gql-tada.d.ts';
import { graphql } from '../schema.ts';
import type { Page } from './chat-types.ts';
import { asAtriumError, type Core, persistently, type Status } from './core.ts';
import { membersOf } from './foreign-json.ts';
import { type Live, Store, watching } from './store.ts';

const FIELDS = graphql(`fragment RecordFields on Record @_unmask { id parentId userId createdAt updatedAt fields }`);
const LIST = graphql(
  `query Records($className: String!, $filter: JSON, $orderBy: RecordOrder, $first: Int, $after: String, $parentId: ID) {
    records(className: $className, filter: $filter, orderBy: $orderBy, first: $first, after: $after, parentId: $parentId) {
      edges { node { ...RecordFields } } pageInfo { hasNextPage endCursor }
    }
  }`,
  [FIELDS],
);
const GET = graphql(
  `query Record($className: String!, $id: ID!) { record(className: $className, id: $id) { ...RecordFields } }`,
  [FIELDS],
);
const CREATE = graphql(
  `mutation CreateRecord($input: CreateRecordInput!) { createRecord(input: $input) { ...RecordFields } }`,
  [FIELDS],
);
const UPDATE = graphql(
  `mutation UpdateRecord($className: String!, $id: ID!, $input: UpdateRecordInput!) {
    updateRecord(className: $className, id: $id, input: $input) { ...RecordFields }
  }`,
  [FIELDS],
);
const DELETE = graphql(`mutation DeleteRecord($className: String!, $id: ID!) {
  deleteRecord(className: $className, id: $id)
}`);
const CHANGES = graphql(
  `subscription RecordChanges($className: String!, $where: JSON, $since: String) {
    recordChanged(className: $className, where: $where, since: $since) { cursor recordId record { ...RecordFields } }
  }`,
  [FIELDS],
);

/** Fields of a class by name. */
export type Fields = Record<string, unknown>;

export type AtriumRecord<F> = F & {
  id: string;
  parentId: string | null;
  userId: number | null;
  /** Unix seconds. */
  createdAt: number;
  updatedAt: number;
};

type Comparison<Value> = {
  eq?: Value | null;
  ne?: Value | null;
  in?: Value[];
  notIn?: Value[];
  lt?: Value;
  lte?: Value;
  gt?: Value;
  gte?: Value;
  contains?: string;
  all?: unknown[];
  near?: { lat: number; lon: number; radius: number };
};

/** Conditions by field, all of which must match. */
export type Where<F> = {
  [Name in keyof AtriumRecord<F>]?: AtriumRecord<F>[Name] | Comparison<NonNullable<AtriumRecord<F>[Name]>>;
} & { or?: Where<F>[]; and?: Where<F>[] };

export interface RecordFilter<F> {
  where?: Where<F>;
  orderBy?: { field: (keyof AtriumRecord<F> & string) | '_id'; direction: 'ASC' | 'DESC' };
  /** Only children of this record. */
  parentId?: string;
}

export interface RecordsState<F> {
  status: Status;
  records: readonly AtriumRecord<F>[];
  hasMore: boolean;
  error?: AtriumError;
}

const MAX_RECORDS = 100;

/** Records of one class. */
export class Records<F extends Fields = Fields> {
  readonly #core: Core;
  readonly #className: string;
  readonly #live = new Map<string, Live<RecordsState<F>>>();

  constructor(core: Core, className: string) {
    this.#core = core;
    this.#className = className;
  }

  /** One page of at most 100 records. */
  async list({
    where,
    orderBy,
    parentId,
    first = 50,
    after,
    signal,
  }: RecordFilter<F> & { first?: number; after?: string | null; signal?: AbortSignal } = {}): Promise<
    Page<AtriumRecord<F>>
  > {
    const variables = { className: this.#className, filter: where, orderBy, first, after, parentId };
    const { records } = await this.#core.client.query(LIST, variables, { signal });
    return {
      items: records.edges.map(({ node }) => recordOf<F>(node)),
      hasMore: records.pageInfo.hasNextPage,
      cursor: records.pageInfo.endCursor,
    };
  }

  /** @throws {AtriumError} `NOT_FOUND` */
  async get(id: string): Promise<AtriumRecord<F>> {
    return recordOf<F>((await this.#core.client.query(GET, { className: this.#className, id })).record);
  }

  async create(fields: Partial<F>, { parentId }: { parentId?: string } = {}): Promise<AtriumRecord<F>> {
    const input = { className: this.#className, fields, parentId };
    return recordOf<F>((await this.#core.client.mutate(CREATE, { input })).createRecord);
  }

  async update(id: string, fields: Partial<F>): Promise<AtriumRecord<F>> {
    const variables = { className: this.#className, id, input: { fields } };
    return recordOf<F>((await this.#core.client.mutate(UPDATE, variables, { idempotent: true })).updateRecord);
  }

  async delete(id: string): Promise<void> {
    await this.#core.client.mutate(DELETE, { className: this.#className, id });
  }

  /** Calls `show` with the matching records, and again after each change. @returns stops it */
  watch(filter: RecordFilter<F>, show: (state: RecordsState<F>) => void): () => void {
    return watching(this.live(filter), show);
  }

  /**
   * At most 100 matching records, kept up to date while something listens. The same object for equal filters. Without
   * `orderBy`, in the order of creation.
   */
  live(filter: RecordFilter<F> = {}): Live<RecordsState<F>> {
    const key = JSON.stringify(filter);
    let live = this.#live.get(key);
    if (!live) {
      live = this.#liveStore(filter);
      this.#live.set(key, live);
    }
    return live;
  }

  #liveStore(filter: RecordFilter<F>): Live<RecordsState<F>> {
    const start: RecordsState<F> = { status: 'loading', records: [], hasMore: false };
    const store: Store<RecordsState<F>> = new Store(start, () => {
      const stopped = new AbortController();
      const { signal } = stopped;
      store.set(start);
      // Final, so that a page that arrives later does not look live.
      const fail = (error: unknown) => {
        if (signal.aborted) return;
        stopped.abort();
        store.set({ ...store.get(), status: 'error', error: asAtriumError(error) });
      };
      const load = async () => {
        const page = await persistently(() => this.list({ ...filter, first: MAX_RECORDS, signal }), signal);
        if (page && !signal.aborted) store.set({ status: 'ready', records: page.items, hasMore: page.hasMore });
      };
      let loaded: Promise<void> | undefined;
      let stop = () => {};
      const listen = async () => {
        const { client } = this.#core;
        // The session of an application can read public records, but receives no events.
        if ((await client.restore())?.userId === null) throw new AtriumError('UNAUTHENTICATED', 'No user is signed in');
        if (signal.aborted) return;
        const variables = { className: this.#className, where: filter.where };
        const events = client.subscribe(CHANGES, variables, {
          next: async ({ recordChanged: { recordId, record } }) => {
            await loaded;
            if (signal.aborted) return;
            const others = store.get().records.filter(({ id }) => id !== recordId);
            const isMatch = record && (filter.parentId === undefined || record.parentId === filter.parentId);
            const records = isMatch ? sorted([...others, recordOf<F>(record)], filter.orderBy) : others;
            store.set({ ...store.get(), records });
          },
          onGap: load,
          end: (error) => error !== undefined && fail(error),
        });
        stop = () => events.stop();
        loaded = events.ready.then(load);
        await loaded;
      };
      listen().catch((error) => {
        stop();
        fail(error);
      });
      return () => {
        stopped.abort();
        stop();
      };
    });
    this.#core.stores.add(store as Store<unknown>);
    return store;
  }
}

function recordOf<F>({ fields, ...record }: ResultOf<typeof FIELDS>): AtriumRecord<F> {
  // The service compares the values with the class, of which `F` is the type.
  return { ...(membersOf(fields) as F), ...record } as AtriumRecord<F>;
}

function sorted<F>(records: AtriumRecord<F>[], orderBy: RecordFilter<F>['orderBy']): AtriumRecord<F>[] {
  const { field, direction } = orderBy ?? { field: 'id', direction: 'ASC' };
  const sign = direction === 'DESC' ? -1 : 1;
  const value = (record: AtriumRecord<F>) => (record as Fields)[field === '_id' ? 'id' : field];
  return records.sort((a, b) => sign * compare(value(a), value(b)) || sign * compare(a.id, b.id));
}

/** Unset values are the last, as in PostgreSQL. */
function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a == null) return 1;
  if (b == null) return -1;
  return (a as number) < (b as number) ? -1 : 1;
}
