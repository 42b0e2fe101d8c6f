import type { Services } from '../context.ts';
import type { IdentifiedViewer } from '../lib/access.ts';
import { SECOND } from '../lib/time.ts';
import { findValidity } from '../resolvers/sessions/validity.ts';
import { detached } from '../server/observability/tracing.ts';

/**
 * Calls back once when the viewer's credentials end: by logout or login with the same token, revocation of the key,
 * on whatever process, or by themselves. It may call back before it returns. @returns stops following
 */
export async function followCredentials(
  viewer: IdentifiedViewer,
  services: Services,
  onEnd: () => void,
): Promise<() => void> {
  const following = new Following(viewer, services, onEnd);
  await following.start();
  return () => following.stop();
}

class Following {
  readonly #viewer: IdentifiedViewer;
  readonly #services: Services;
  readonly #onEnd: () => void;
  #stopListening = () => {};
  #expiresAt: Date | undefined;
  #isFollowing = true;

  constructor(viewer: IdentifiedViewer, services: Services, onEnd: () => void) {
    this.#viewer = viewer;
    this.#services = services;
    this.#onEnd = onEnd;
  }

  async start(): Promise<void> {
    this.#stopListening = await this.#services.hub.onCredentialsChanged(this.#viewer, () => void this.#check());
    everySecond.add(this);
    await this.#check(); // they may have ended before anybody listened
  }

  stop(): void {
    this.#isFollowing = false;
    everySecond.delete(this);
    this.#stopListening();
  }

  /** Looks at the clock. */
  look(): void {
    if (this.#expiresAt && this.#expiresAt <= this.#services.now()) void this.#check();
  }

  // Requests elsewhere with the same token may have restarted its lifetime, so the session itself is asked.
  async #check(): Promise<void> {
    const { now, log } = this.#services;
    this.#expiresAt = undefined;
    try {
      const validity = await findValidity(this.#viewer, this.#services);
      this.#expiresAt = validity?.expiresAt;
      if (validity || !this.#isFollowing) return;
      this.stop();
      this.#onEnd();
    } catch (error) {
      log.warn({ err: error }, 'the end of credentials could not be checked; trying again');
      this.#expiresAt = now();
    }
  }
}

/** One clock for all who follow: each with a timer of their own would be thousands. */
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
