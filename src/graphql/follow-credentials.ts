import type { Services } from '../context.ts';
import type { KnownViewer } from '../lib/access.ts';
import { SECOND } from '../lib/time.ts';
import { detached } from '../platform/observability/tracing.ts';
import { findValidity } from '../resolvers/sessions/validity.ts';

/**
 * Calls `onEnd` once when the credentials of the viewer end: by logout or login with the same token or revocation of
 * the key in any process, or by expiry. It may call `onEnd` before it returns. `isMoved`: the credentials remain valid,
 * but the application is in another database, to which a new connection leads.
 * @returns stops following
 */
export async function followCredentials(viewer: KnownViewer, services: Services, onEnd: OnEnd): Promise<() => void> {
  const following = new Following(viewer, services, onEnd);
  await following.start();
  return () => following.stop();
}

type OnEnd = (reason: { isMoved: boolean }) => void;

class Following {
  readonly #viewer: KnownViewer;
  readonly #services: Services;
  readonly #onEnd: OnEnd;
  #stopListening = () => {};
  /** Milliseconds since 1970. */
  #expiresAt: number | undefined;
  #isFollowing = true;

  constructor(viewer: KnownViewer, services: Services, onEnd: OnEnd) {
    this.#viewer = viewer;
    this.#services = services;
    this.#onEnd = onEnd;
  }

  async start(): Promise<void> {
    this.#stopListening = await this.#services.hub.onCredentialsChanged(this.#viewer, this);
    if (!this.#isFollowing) return this.#stopListening();
    everySecond.add(this);
    await this.#check(); // they may have ended before the listener was added
  }

  stop(): void {
    this.#isFollowing = false;
    everySecond.delete(this);
    this.#stopListening();
  }

  credentialsChanged(): void {
    void this.#check();
  }

  applicationMoved(): void {
    this.#end(true);
  }

  look(): void {
    if (this.#expiresAt !== undefined && this.#expiresAt <= this.#services.now().getTime()) void this.#check();
  }

  #end(isMoved: boolean): void {
    if (!this.#isFollowing) return;
    this.stop();
    this.#onEnd({ isMoved });
  }

  // Reads the session because requests in other processes may have extended its lifetime.
  async #check(): Promise<void> {
    const { now, log } = this.#services;
    this.#expiresAt = undefined;
    try {
      const validity = await findValidity(this.#viewer, this.#services);
      this.#expiresAt = validity?.expiresAt?.getTime();
      if (!validity) this.#end(false);
    } catch (error) {
      log.warn({ err: error }, 'credentials of an open connection could not be checked; retrying within a second');
      this.#expiresAt = now().getTime();
    }
  }
}

/** One shared timer, because each follower with its own timer would mean thousands of timers. */
const everySecond = new (class {
  readonly #following = new Set<Following>();
  #timer: NodeJS.Timeout | undefined;

  add(one: Following): void {
    this.#following.add(one);
    const look = () => {
      for (const following of this.#following) following.look();
    };
    this.#timer ??= setInterval(() => detached(look), SECOND).unref();
  }

  delete(one: Following): void {
    this.#following.delete(one);
    if (this.#following.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
})();
