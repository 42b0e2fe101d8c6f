import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { groupBy } from '../lib/collections.ts';
import { SECOND } from '../lib/time.ts';
import { applicationsOf, listedApplications } from './application-keys.ts';
import { UNABLE_TO_CONNECT } from './connection.ts';
import { breakConnections } from './pool.ts';

/** A PostgreSQL database that stores whole applications. */
export interface Shard {
  number: number;
  pool: pg.Pool;
  /** Statements fail at once, so that they do not wait in the place of those of other applications. */
  isDown: boolean;
}

/** The only shard, or those among which the applications are divided. */
let shards: readonly Shard[] = [];

/** For statements that name no application: background work, and look-ups before the application is known. */
const here = new AsyncLocalStorage<Shard>();

const homes = new Map<number, { shard: Shard; until: number }>();
const lookUps = new Map<number, Promise<Shard | undefined>>();

/** An application that was deleted and imported may be elsewhere. */
export const HOME_LIFETIME_MS = 5 * SECOND;

/** In place of an application, for what belongs to none. */
const OF_THE_SERVICE = 0;

/** Tables without applications; only the first shard uses them. */
const OF_SERVICE =
  /\b(administrators|administrator_sessions|administrator_passkeys|administrator_links|administrator_roles|passkey_challenges|rate_limits|pg_notify)\b/;
const OF_NO_TABLE = /^(?!.*\b(FROM|JOIN|INTO|UPDATE)\b\s+(?!json|unnest|pg_))/s;

/** SQLSTATE of a statement that belongs to no server. */
const UNDEFINED = '42P18';

export const isOfService = (text: string): boolean => OF_SERVICE.test(text);

export function setShards(pools: readonly pg.Pool[]): void {
  shards = pools.map((pool, number) => ({ number, pool, isDown: false }));
  homes.clear();
}

export const allShards = (): readonly Shard[] => shards;

/** Runs work for all applications once per shard. Awaits inside, because Prisma sends a statement when it is awaited. */
export function onEachShard<Result>(work: (shard: Shard) => Promise<Result>): Promise<Result[]> {
  return Promise.all(shards.map((shard) => onShard(shard, async () => await work(shard))));
}

/** Rows of all shards. */
export async function fromEachShard<Row>(read: () => Promise<Row[]>): Promise<Row[]> {
  return (await onEachShard(read)).flat();
}

/**
 * Rows of the shards that respond. @param isComplete whether the rows of the others cannot matter; default: they do not
 * @throws {Error} some do not respond, and their rows could matter
 */
export async function fromReachable<Row>(
  read: (shard: Shard) => Promise<Row[]>,
  isComplete: (rows: Row[]) => boolean = () => true,
): Promise<Row[]> {
  const reads = await Promise.allSettled(
    shards.map(async (shard) => {
      if (shard.isDown) throw unavailable(shard);
      return onShard(shard, async () => await read(shard));
    }),
  );
  const rows = reads.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const failure = reads.find((one) => one.status === 'rejected');
  if (failure && !isComplete(rows)) throw failure.reason;
  return rows;
}

/** Runs work once per shard, with the items of its applications; those of unknown applications go to the first. */
export async function byShard<Item extends { applicationId: number }, Result>(
  items: readonly Item[],
  work: (items: Item[]) => Promise<Result>,
): Promise<Result[]> {
  if (shards.length === 1) return [await work([...items])];
  const homes = await Promise.all(items.map(({ applicationId }) => knownHomeOf(applicationId).catch(() => undefined)));
  const divided = groupBy(items.entries(), ([position]) => homes[position] ?? shards[0]!);
  return Promise.all(
    [...divided].map(([shard, own]) => onShard(shard, async () => await work(own.map(([, item]) => item)))),
  );
}

export function onShard<Result>(shard: Shard, work: () => Result): Result {
  return shards.length === 1 ? work() : here.run(shard, work);
}

/** Binds work to the shard for which it is defined, for all callers. */
export function inThisShard<Args extends unknown[], Result>(work: (...args: Args) => Result) {
  const shard = here.getStore();
  return shard ? (...args: Args) => here.run(shard, work, ...args) : work;
}

/**
 * For work that reads an application where it is defined: what was read before is of that shard.
 * @throws {Error} the application is in another one by now
 */
export async function requireHere(applicationId: number): Promise<void> {
  const shard = here.getStore();
  if (shard && (await homeOf(applicationId)) !== shard) throw unavailable(shard);
}

/** Runs work of one application that does not name it. */
export async function onShardOf<Result>(applicationId: number, work: () => Promise<Result>): Promise<Result> {
  return shards.length === 1 ? work() : here.run(await homeOf(applicationId), async () => await work());
}

/** Of one of several databases. */
export function setReachable(number: number, isReachable: boolean): void {
  const shard = shards[number];
  if (!shard || shard.isDown === !isReachable) return;
  shard.isDown = !isReachable;
  if (shard.isDown) breakConnections(shard.pool);
}

/** Where a statement belongs. Several only for reads of one table by keys. */
export async function shardsOf(text: string, values: readonly unknown[]): Promise<readonly [Shard, ...Shard[]]> {
  const found = await findShards(text, values);
  const down = found.find(({ isDown }) => isDown);
  if (down) throw unavailable(down);
  return found;
}

function unavailable({ number }: Shard): Error {
  return Object.assign(new Error(`database ${number} does not respond`), { code: UNABLE_TO_CONNECT });
}

async function findShards(text: string, values: readonly unknown[]): Promise<readonly [Shard, ...Shard[]]> {
  if (OF_SERVICE.test(text)) return [shards[0]!];
  const ids = applicationsOf(text, values);
  if (ids.length > 0) {
    const found = [...new Set(await Promise.all(ids.map(homeOf)))];
    if (found.length > 1 && !text.startsWith('SELECT "t0"'))
      throw refusal('names applications of several servers', text);
    return found as [Shard, ...Shard[]];
  }
  const shard = here.getStore() ?? (OF_NO_TABLE.test(text) ? shards[0] : undefined);
  if (!shard && listedApplications(text, values).length > 0)
    return [...new Set(await Promise.all(listedApplications(text, values).map(homeOf)))] as [Shard, ...Shard[]];
  if (!shard) throw refusal('names no application', text);
  return [shard];
}

/** Without a wait if there is one shard. */
export function poolFor({ text, values = [] }: pg.QueryConfig): pg.Pool | Promise<pg.Pool> {
  if (shards.length === 1) return shards[0]!.pool;
  return shardsOf(text, values).then(([{ pool }]) => pool);
}

/** The shard that stores an application, or would store it. */
export async function homeOf(applicationId: number): Promise<Shard> {
  if (shards.length === 1) return shards[0]!;
  return (await knownHomeOf(applicationId)) ?? shards[Math.abs(applicationId) % shards.length]!;
}

async function knownHomeOf(applicationId: number): Promise<Shard | undefined> {
  if (applicationId === OF_THE_SERVICE) return shards[0];
  const known = homes.get(applicationId);
  if (known && known.until > performance.now()) return known.shard;
  const lookUp = lookUps.get(applicationId) ?? findHome(applicationId).finally(() => lookUps.delete(applicationId));
  lookUps.set(applicationId, lookUp);
  return lookUp;
}

const HOME = `
  SELECT import_id IS NULL AS "isComplete", moves_to IS NOT NULL AS "isMoving" FROM applications WHERE id = $1`;

interface Place {
  shard: Shard;
  isComplete: boolean;
  isMoving: boolean;
}

/**
 * The first row of these: that of an application that is not being moved; one that moves away, because the target
 * becomes the home when it is complete; one that is incomplete.
 */
async function findHome(applicationId: number): Promise<Shard | undefined> {
  const until = performance.now() + HOME_LIFETIME_MS;
  const read = async (shard: Shard) => {
    const statement = { name: 'home', text: HOME, values: [applicationId] };
    const { rows } = await shard.pool.query<Omit<Place, 'shard'>>(statement);
    return rows.map((row) => ({ shard, ...row }));
  };
  const isSettled = ({ isComplete, isMoving }: Place) => isComplete && !isMoving;
  const places = await fromReachable(read, (found) => found.some(isSettled));
  const home = places.find(isSettled) ?? places.find(({ isComplete }) => isComplete) ?? places[0];
  // Each statement looks for an application that is moving, so that it is sent nowhere else at any time.
  if (home && !home.isMoving) homes.set(applicationId, { shard: home.shard, until });
  return home?.shard;
}

function refusal(problem: string, text: string): Error {
  return Object.assign(new Error(`a statement ${problem}: ${text.replace(/\s+/g, ' ').trim()}`), { code: UNDEFINED });
}
