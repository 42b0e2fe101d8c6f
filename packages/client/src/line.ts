import type { Credentials } from './credentials.ts';
import { AtriumError, mayPass } from './errors.ts';
import { pause, pauseBefore } from './pauses.ts';
import { Wire } from './wire.ts';

/** `connecting` includes waiting for a reconnect; `closed`: no subscriptions. */
export type ConnectionState = 'connecting' | 'open' | 'closed';

export interface Talker {
  begin: (wire: Wire) => void;
  /** Followed by another `begin`. */
  lost: () => void;
  /** Without an error, the connection is no longer needed. */
  end: (error?: AtriumError) => void;
}

export interface LineOptions {
  url: string;
  webSocket: unknown;
  heartbeat: number;
  credentials: Credentials;
  onState: (state: ConnectionState) => void;
}

const CREDENTIALS_REFUSED = 4403;
const TOO_MUCH = 4429;
/** Minimum pause in seconds after `TOO_MUCH`, so that other sockets can close first. */
const TOO_MUCH_PAUSE = 2;
/** Close codes that a retry cannot fix, because the server is not this service. */
const HOPELESS = new Set([4400, 4406]);
/** Milliseconds until an unused socket closes, because another subscription often follows. */
const IDLE = 1_000;
/** Open while there are subscriptions. */
export class Line {
  readonly #options: LineOptions;
  readonly #talkers = new Set<Talker>();
  #state: ConnectionState = 'closed';
  #wire: Wire | undefined;
  #isRunning = false;
  /** The current socket has delivered something, so the backoff restarts. */
  #hasDelivered = false;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #pause = new AbortController();

  constructor(options: LineOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  add(talker: Talker): void {
    clearTimeout(this.#idle);
    this.#talkers.add(talker);
    if (this.#wire?.isOpen) talker.begin(this.#wire);
    void this.#run();
  }

  remove(talker: Talker): void {
    if (!this.#talkers.delete(talker) || this.#talkers.size > 0) return;
    this.#pause.abort();
    this.#idle = setTimeout(() => this.#wire?.close(), IDLE);
  }

  restart(): void {
    this.#pause.abort();
    this.#wire?.close();
  }

  endAll(error?: AtriumError): void {
    for (const talker of [...this.#talkers]) talker.end(error);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const stopWatching = watchDevice(() => {
      this.#pause.abort();
      this.#wire?.check();
    });
    for (let losses = 0; this.#talkers.size > 0; losses++) {
      this.#setState('connecting');
      this.#hasDelivered = false;
      const wait = await this.#connectOnce();
      if (this.#talkers.size === 0) break;
      if (this.#hasDelivered) losses = 0;
      if (wait === 'none') continue;
      this.#pause = new AbortController();
      await pause(pauseBefore(losses, wait), this.#pause.signal);
    }
    stopWatching();
    this.#isRunning = false;
    this.#setState('closed');
  }

  /** @returns minimum seconds until the next attempt, or `none` to reconnect immediately */
  async #connectOnce(): Promise<number | 'none'> {
    const { credentials } = this.#options;
    try {
      const headers = await credentials.headers();
      if (Object.keys(headers).length === 0)
        throw new AtriumError('UNAUTHENTICATED', 'The client has no session and no API key');
      const { code, wasOpen } = await this.#runSocket(headers);
      // A pause if the socket never opened, because new credentials may be rejected again and again.
      const soon = wasOpen ? 'none' : 0;
      if (code === CREDENTIALS_REFUSED) {
        if (await credentials.renew(headers)) return soon;
        throw new AtriumError('UNAUTHENTICATED', 'The credentials were rejected', { status: code });
      }
      if (HOPELESS.has(code))
        throw new AtriumError('BAD_USER_INPUT', 'The server is not an Atrium service', { status: code });
      if (code === TOO_MUCH) return TOO_MUCH_PAUSE;
      return (await credentials.isCurrent(headers)) ? 0 : soon;
    } catch (error) {
      if (mayPass(error)) return error.retryAfter ?? 0; // a renewal that may succeed later
      const known = error instanceof AtriumError;
      this.endAll(known ? error : new AtriumError('UNAUTHENTICATED', 'Signing in failed', { cause: error }));
      return 0;
    }
  }

  /** @returns the close code, and whether the socket was ever open */
  async #runSocket(headers: Record<string, string>): Promise<{ code: number; wasOpen: boolean }> {
    const { url, webSocket, heartbeat, credentials } = this.#options;
    let wasOpen = false;
    const code = await new Promise<number>((resolve) => {
      const wire = new Wire({
        url,
        webSocket,
        heartbeat,
        credentials: headers,
        onOpen: () => {
          wasOpen = true;
          credentials.noteAnswer(headers);
          this.#setState('open');
          for (const talker of [...this.#talkers]) talker.begin(wire);
        },
        onLost: resolve,
        // Sessions are only extended by requests, and subscriptions make none.
        onBeat: () => void credentials.prolong().catch(() => {}),
      });
      this.#wire = wire;
    });
    this.#hasDelivered = this.#wire?.hasTold === true;
    this.#wire = undefined;
    if (this.#talkers.size > 0) this.#setState('connecting');
    for (const talker of [...this.#talkers]) talker.lost();
    return { code, wasOpen };
  }

  #setState(state: ConnectionState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.onState(state);
  }
}

interface Device {
  addEventListener?: (name: string, listener: () => void) => void;
  removeEventListener?: (name: string, listener: () => void) => void;
  visibilityState?: string;
}

/** Calls back when the network returns or the page becomes visible, because the device may have slept. */
function watchDevice(onWake: () => void): () => void {
  const window = globalThis as Device;
  const { document } = globalThis as { document?: Device };
  const look = () => {
    if (document?.visibilityState === 'visible') onWake();
  };
  window.addEventListener?.('online', onWake);
  document?.addEventListener?.('visibilitychange', look);
  return () => {
    window.removeEventListener?.('online', onWake);
    document?.removeEventListener?.('visibilitychange', look);
  };
}
