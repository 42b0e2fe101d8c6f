import type { Credentials } from './credentials.ts';
import { AtriumError, mayPass } from './errors.ts';
import { pause, pauseBefore } from './pauses.ts';
import { Wire } from './wire.ts';

/** `connecting` also while a lost connection is waited for; `closed` while nothing is subscribed to. */
export type ConnectionState = 'connecting' | 'open' | 'closed';

/** Who has something to say on the line. */
export interface Talker {
  /** The line is there. */
  begin: (wire: Wire) => void;
  /** The line is gone and will be back. */
  lost: () => void;
  /** The line will not be back; without an error it is not wanted back. */
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
/** Too slow, or too many sockets of one user: others have to leave first. */
const TOO_MUCH = 4429;
/** Seconds to stay away then, at least. */
const TOO_MUCH_PAUSE = 2;
/** What another try does not mend: the other side is no such service. */
const HOPELESS = new Set([4400, 4406]);
/** How long the socket outlives its last subscription, in milliseconds: often the next comes at once. */
const IDLE = 1_000;
/** The one WebSocket of a client: there as long as anybody is subscribed, and again whenever it was lost. */
export class Line {
  readonly #options: LineOptions;
  readonly #talkers = new Set<Talker>();
  #state: ConnectionState = 'closed';
  #wire: Wire | undefined;
  #isRunning = false;
  /** The latest socket told something, so its loss is the first again. */
  #wasGood = false;
  #idle: ReturnType<typeof setTimeout> | undefined;
  /** Ends a pause between two tries. */
  #hurry = new AbortController();

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
    this.#hurry.abort();
    this.#idle = setTimeout(() => this.#wire?.close(), IDLE);
  }

  /** Begins anew with the credentials of now. */
  restart(): void {
    this.#hurry.abort();
    this.#wire?.close();
  }

  endAll(error?: AtriumError): void {
    for (const talker of [...this.#talkers]) talker.end(error);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const stopWatching = watchDevice(() => {
      this.#hurry.abort();
      this.#wire?.check();
    });
    for (let losses = 0; this.#talkers.size > 0; losses++) {
      this.#tell('connecting');
      this.#wasGood = false;
      const wait = await this.#connectOnce();
      if (this.#talkers.size === 0) break;
      if (this.#wasGood) losses = 0;
      if (wait === 'none') continue;
      this.#hurry = new AbortController();
      await pause(pauseBefore(losses, wait), this.#hurry.signal);
    }
    stopWatching();
    this.#isRunning = false;
    this.#tell('closed');
  }

  /** Lives through one socket. @returns after how many seconds the next is welcome at the earliest; none: no pause at all */
  async #connectOnce(): Promise<number | 'none'> {
    const { credentials } = this.#options;
    try {
      const headers = await credentials.headers();
      if (Object.keys(headers).length === 0) throw new AtriumError('UNAUTHENTICATED', 'Nobody is signed in');
      const { code, wasOpen } = await this.#talk(headers);
      // New credentials that are refused as soon as they are shown would be asked for without end.
      const soon = wasOpen ? 'none' : 0;
      if (code === CREDENTIALS_REFUSED) {
        if (await credentials.renew(headers)) return soon;
        throw new AtriumError('UNAUTHENTICATED', 'The credentials were refused', { status: code });
      }
      if (HOPELESS.has(code)) throw new AtriumError('BAD_USER_INPUT', 'This is no GraphQL of Atrium', { status: code });
      if (code === TOO_MUCH) return TOO_MUCH_PAUSE;
      return (await credentials.isCurrent(headers)) ? 0 : soon;
    } catch (error) {
      if (mayPass(error)) return error.retryAfter ?? 0; // somebody could not be signed in anew just now
      const known = error instanceof AtriumError;
      this.endAll(known ? error : new AtriumError('UNAUTHENTICATED', 'Nobody could be signed in', { cause: error }));
      return 0;
    }
  }

  /** @returns the code with which the socket was closed, once it is, and whether it was ever open */
  async #talk(headers: Record<string, string>): Promise<{ code: number; wasOpen: boolean }> {
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
          this.#tell('open');
          for (const talker of [...this.#talkers]) talker.begin(wire);
        },
        onLost: resolve,
        // Who only listens makes no requests, and a session lives from request to request.
        onBeat: () => void credentials.prolong().catch(() => {}),
      });
      this.#wire = wire;
    });
    this.#wasGood = this.#wire?.hasTold === true;
    this.#wire = undefined;
    if (this.#talkers.size > 0) this.#tell('connecting');
    for (const talker of [...this.#talkers]) talker.lost();
    return { code, wasOpen };
  }

  #tell(state: ConnectionState): void {
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

/** Calls back when the network is there again, or somebody looks at the page, which may have slept. */
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
