import { administratorOf, type KnownViewer } from '../../lib/access.ts';

const MAX_PER_CALLER = 100;
const MAX_PER_PROCESS = 50_000;

export class ConnectionLimit {
  readonly #open = new Map<string, number>();
  #total = 0;

  /** The release is idempotent. Only the process limit applies to API keys alone, because they act for all users. */
  take(viewer: KnownViewer): (() => void) | undefined {
    const caller = callerKey(viewer);
    const isUnlimited = viewer.kind === 'key' && !viewer.administrator;
    const open = this.#open.get(caller) ?? 0;
    if (this.#total >= MAX_PER_PROCESS || (!isUnlimited && open >= MAX_PER_CALLER)) return undefined;
    this.#count(caller, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#count(caller, -1);
      isTaken = false;
    };
  }

  #count(caller: string, change: number): void {
    const open = (this.#open.get(caller) ?? 0) + change;
    this.#total += change;
    if (open > 0) this.#open.set(caller, open);
    else this.#open.delete(caller);
  }
}

function callerKey(viewer: KnownViewer): string {
  if (viewer.kind === 'administrator') return `administrator:${viewer.administrator.id}`;
  const administrator = administratorOf(viewer);
  if (administrator) return `administrator:${administrator.id}`;
  if (viewer.kind === 'user') return `user:${viewer.applicationId}:${viewer.userId}`;
  if (viewer.kind === 'key') return `key:${viewer.applicationId}`;
  return `session:${viewer.applicationId}:${viewer.session.id}`;
}
