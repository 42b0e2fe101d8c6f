/** Who a job belongs to, from the widest group to the narrowest: `['application:1', 'user:7']`. */
export type JobOwner = readonly string[];

export interface SemaphoreLimits {
  /** Jobs that run at once. */
  concurrency: number;
  /** Jobs of one owner that run at once, for each level of `JobOwner`; a level without a number has no limit. */
  concurrencyPerOwner?: readonly number[];
  /** Jobs that wait, all owners together. */
  maxWaiting: number;
  /** Jobs of one owner that wait, for each level. */
  maxWaitingPerOwner?: readonly number[];
  /** Makes the error of a job that finds the queue full. */
  refuse: () => Error;
}

/** One owner, or all of them at the root: its jobs, and those of the narrower owners below. */
interface Group {
  running: number;
  waiting: number;
  /** In the order of their turns: a served one moves to the end. */
  children: Map<string, Group>;
  /** Starts of the jobs that wait directly in this group, in the order of their arrival. */
  queue: (() => void)[];
}

const createGroup = (): Group => ({ running: 0, waiting: 0, children: new Map(), queue: [] });

/**
 * Bounds how many jobs run at once. Waiting jobs start in turns: owners of the widest level alternate, within one of
 * them the owners of the next level, so that an owner with a thousand jobs delays another by one job and not by a
 * thousand. Enter it before you take a database connection.
 */
export class Semaphore {
  readonly #limits: SemaphoreLimits;
  readonly #root = createGroup();

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  /** Jobs that run, and jobs that wait. */
  get load(): { running: number; waiting: number } {
    return { running: this.#root.running, waiting: this.#root.waiting };
  }

  /**
   * @param isRefusable false for a job that waits in any case; whoever starts such jobs bounds their number
   * @throws what `refuse` makes, when too many jobs wait already
   */
  async run<Result>(
    job: () => Promise<Result>,
    owner: JobOwner = [],
    { isRefusable = true }: { isRefusable?: boolean } = {},
  ): Promise<Result> {
    const path = this.#pathOf(owner);
    // A waiting job is blocked by a full group, so a job with room in all of its groups overtakes none of its own group.
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

  #pathOf(owner: JobOwner): Group[] {
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

  #turn(path: Group[], owner: JobOwner, isRefusable: boolean): Promise<void> {
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

  /** Starts the job whose turn it is, below `group`, and says whether there was one that may start. */
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

function forgetIdle(path: Group[], owner: JobOwner): void {
  for (let level = owner.length; level > 0; level--) {
    const { running, waiting, children } = path[level]!;
    if (running + waiting + children.size === 0) path[level - 1]!.children.delete(owner[level - 1]!);
  }
}
