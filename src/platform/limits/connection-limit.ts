import { administratorOf, type KnownViewer, type Viewer } from '../../lib/access.ts';

const MAX_PER_CALLER = 100;
const MAX_PER_PROCESS = 50_000;
/** Each may hold some KB for a few seconds. Clients of one network may reconnect at once. */
const MAX_UNAUTHENTICATED_PER_NETWORK = 500;
const MAX_UNAUTHENTICATED_PER_PROCESS = 5_000;

export class ConnectionLimit {
  readonly #known = new Slots(MAX_PER_PROCESS);
  readonly #unauthenticated = new Slots(MAX_UNAUTHENTICATED_PER_PROCESS);

  /** The release is idempotent. Only the process limit applies to API keys alone, because they act for all users. */
  take(viewer: KnownViewer, network: string): (() => void) | undefined {
    const caller = callerKey(viewer, network);
    const isUnlimited = viewer.kind === 'key' && !viewer.administrator;
    return this.#known.isFull(caller, isUnlimited ? MAX_PER_PROCESS : MAX_PER_CALLER)
      ? undefined
      : this.#known.take(caller);
  }

  isFullOfUnauthenticated(network: string): boolean {
    return this.#unauthenticated.isFull(network, MAX_UNAUTHENTICATED_PER_NETWORK);
  }

  /** For a socket until its credentials are accepted. The release is idempotent. */
  takeUnauthenticated(network: string): () => void {
    return this.#unauthenticated.take(network);
  }
}

class Slots {
  readonly #open = new Map<string, number>();
  readonly #max: number;
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  isFull(owner: string, maxOfOwner: number): boolean {
    return this.#total >= this.#max || (this.#open.get(owner) ?? 0) >= maxOfOwner;
  }

  take(owner: string): () => void {
    this.#count(owner, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#count(owner, -1);
      isTaken = false;
    };
  }

  #count(owner: string, change: number): void {
    const open = (this.#open.get(owner) ?? 0) + change;
    this.#total += change;
    if (open > 0) this.#open.set(owner, open);
    else this.#open.delete(owner);
  }
}

/** Every client can open application sessions, so these count per network. */
export function callerKey(viewer: Viewer, network: string): string {
  if (viewer.kind === 'administrator') return `administrator:${viewer.administrator.id}`;
  const administrator = administratorOf(viewer);
  if (administrator) return `administrator:${administrator.id}`;
  if (viewer.kind === 'user') return `user:${viewer.applicationId}:${viewer.userId}`;
  if (viewer.kind === 'key') return `key:${viewer.applicationId}`;
  return `network:${network}`;
}
