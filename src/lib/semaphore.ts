import type { Actor } from './actor.ts';

/** From the widest group to the narrowest: `['application:1', 'user:7']`. */
export interface FairnessPath extends ReadonlyArray<string> {
  /** Whose changes the audit log records. */
  readonly actor?: Actor | undefined;
}

export interface SemaphoreLimits {
  concurrency: number;
  /** For each level of `FairnessPath`; a level without a number has no limit. */
  concurrencyPerOwner?: readonly number[];
  maxWaiting: number;
  maxWaitingPerOwner?: readonly number[];
  refuse: () => Error;
}

/** The counts include all narrower owners. */
interface Group {
  running: number;
  waiting: number;
  /** In the order of their turns; a served child moves to the end. */
  children: Map<string, Group>;
  /** Oldest first. */
  queue: (() => void)[];
}

const createGroup = (): Group => ({ running: 0, waiting: 0, children: new Map(), queue: [] });

/**
 * Owners of the widest level alternate, then the owners of the next level, so that an owner with a thousand jobs delays
 * another owner by one job. Enter it before taking a database connection.
 */
export class Semaphore {
  readonly #limits: SemaphoreLimits;
  readonly #root = createGroup();

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  get load(): { running: number; waiting: number } {
    return { running: this.#root.running, waiting: this.#root.waiting };
  }

  /** @param isRefusable false to wait even if the queue is full; the caller bounds the number of such jobs */
  async run<Result>(
    job: () => Promise<Result>,
    owner: FairnessPath = [],
    { isRefusable = true }: { isRefusable?: boolean } = {},
  ): Promise<Result> {
    const path = this.#pathOf(owner);
    // Waiting jobs are blocked by a full group, so a job with capacity in all its groups overtakes none of its own.
    if (path.every((group, level) => this.#hasRoom(group, level))) start(path);
    else await this.#turn(path, owner, isRefusable);
    try {
      return await job();
    } finally {
      for (const group of path) group.running--;
      while (this.#startNext(this.#root, 0, [this.#root]));
      forgetIdle(path, owner);
    }
  }

  #pathOf(owner: FairnessPath): Group[] {
    const path = [this.#root];
    for (const name of owner) {
      const { children } = path.at(-1)!;
      const child = children.get(name) ?? createGroup();
      children.set(name, child);
      path.push(child);
    }
    return path;
  }

  #hasRoom(group: Group, level: number): boolean {
    const { concurrency, concurrencyPerOwner = [] } = this.#limits;
    return group.running < (level === 0 ? concurrency : (concurrencyPerOwner[level - 1] ?? Number.POSITIVE_INFINITY));
  }

  #turn(path: Group[], owner: FairnessPath, isRefusable: boolean): Promise<void> {
    const { maxWaiting, maxWaitingPerOwner = [], refuse } = this.#limits;
    const isFull = ({ waiting }: Group, level: number) =>
      waiting >= (level === 0 ? maxWaiting : (maxWaitingPerOwner[level - 1] ?? Number.POSITIVE_INFINITY));
    if (isRefusable && path.some(isFull)) {
      forgetIdle(path, owner);
      throw refuse();
    }
    for (const group of path) group.waiting++;
    return new Promise((resolve) => path.at(-1)!.queue.push(resolve));
  }

  #startNext(group: Group, level: number, path: Group[]): boolean {
    if (group.waiting === 0 || !this.#hasRoom(group, level)) return false;
    const next = group.queue.shift();
    if (next) {
      for (const member of path) member.waiting--;
      start(path);
      next();
      return true;
    }
    for (const [name, child] of group.children) {
      if (!this.#startNext(child, level + 1, [...path, child])) continue;
      group.children.delete(name);
      group.children.set(name, child);
      return true;
    }
    return false;
  }
}

function start(path: Group[]): void {
  for (const group of path) group.running++;
}

function forgetIdle(path: Group[], owner: FairnessPath): void {
  for (let level = owner.length; level > 0; level--) {
    const { running, waiting, children } = path[level]!;
    if (running + waiting + children.size === 0) path[level - 1]!.children.delete(owner[level - 1]!);
  }
}
