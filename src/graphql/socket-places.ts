import type { KnownViewer } from '../lib/access.ts';

/** How many sockets each caller has open on this process. */
export class SocketPlaces {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Takes a place; an API key alone, which speaks for a whole application, has as many as it likes.
   * @returns what gives the place back, once however often it is called; undefined when the caller has no more of them
   */
  take(viewer: KnownViewer): (() => void) | undefined {
    if (viewer.kind === 'key') return () => {};
    const key =
      viewer.kind === 'user'
        ? `user:${viewer.applicationId}:${viewer.userId}`
        : `session:${viewer.applicationId}:${viewer.session.id}`;
    const open = this.#open.get(key) ?? 0;
    if (open >= this.#most) return undefined;
    this.#open.set(key, open + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const now = this.#open.get(key)! - 1;
      if (now > 0) this.#open.set(key, now);
      else this.#open.delete(key);
    };
  }
}
