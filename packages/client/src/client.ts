import { Credentials, type SignedRequest, type SignIn } from './credentials.ts';
import { type Document, operationOf, type Values, withClientIds } from './documents.ts';
import { Http, withRetries } from './http.ts';
import { type ConnectionState, Line } from './line.ts';
import type { Session, SessionStorage } from './storage.ts';
import { Subscription, type SubscriptionOptions } from './subscription.ts';

export interface ClientOptions {
  /** Where the service is: `https://chat.example.com`. */
  url: string;
  /** Asks your own server for a signed request, whenever a session is opened; the secret stays there. */
  sign?: () => SignedRequest | Promise<SignedRequest>;
  /**
   * The session is over, because nothing was asked for too long, or it was ended elsewhere: who signs in? What was
   * asked meanwhile waits. Nobody, or no such function: it is refused with `UNAUTHENTICATED`, and subscriptions end.
   * It may not ask this client anything, which waits for it.
   */
  renew?: () => SignIn | undefined | Promise<SignIn | undefined>;
  /** Default: the session is forgotten with this client. */
  storage?: SessionStorage;
  /** For servers: an API key instead of a session. */
  apiKey?: string;
  /** The user whom the API key acts as. */
  onBehalfOf?: number;
  /** The session has begun or ended; not told of each prolongation. */
  onSessionChange?: (session: Session | undefined) => void;
  onConnectionChange?: (state: ConnectionState) => void;
  /** How often a query is tried again that may pass; default 3. */
  retries?: number;
  /** Milliseconds that one answer may take; default 30,000. */
  timeout?: number;
  /** Milliseconds after which the service is asked whether it is there, while there are subscriptions; default 10,000. */
  heartbeat?: number;
  /** The header of the token, where the service calls it another name than `SVC-Token`. */
  tokenHeader?: string;
  fetch?: typeof fetch;
  /** A class like the browser's `WebSocket`: that of the package `ws` where there is none (Node before 22). */
  webSocket?: unknown;
}

export interface RequestOptions {
  signal?: AbortSignal;
}

export interface MutationOptions extends RequestOptions {
  /** It may be sent twice without harm, so it is tried again like a query. Sending messages always is. */
  idempotent?: boolean;
}

/** Variables may be left out where none is required. */
export type Given<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: NoInfer<Variables>, options?: NoInfer<Options>]
    : [variables: NoInfer<Variables>, options?: NoInfer<Options>];

/** @throws {TypeError} the URL is none */
export function createClient(options: ClientOptions): AtriumClient {
  return new AtriumClient(options);
}

class AtriumClient {
  readonly #options: ClientOptions;
  readonly #http: Http;
  readonly #credentials: Credentials;
  readonly #line: Line;
  /** Whose the latest session was, also when it is over. */
  #userId: number | null | undefined;

  constructor(options: ClientOptions) {
    const url = new URL('graphql', options.url.endsWith('/') ? options.url : `${options.url}/`);
    const { tokenHeader = 'SVC-Token', heartbeat = 10_000, timeout = 30_000 } = options;
    this.#options = options;
    // Called without its window, the browser's own refuses.
    this.#http = new Http(url.href, options.fetch ?? ((...request) => fetch(...request)), timeout);
    this.#credentials = new Credentials(this.#http, {
      ...options,
      tokenHeader,
      onChange: (session) => this.#changed(session),
    });
    this.#line = new Line({
      url: url.href.replace(/^http/, 'ws'),
      webSocket: options.webSocket,
      heartbeat,
      credentials: this.#credentials,
      onState: (state) => tell(options.onConnectionChange, state),
    });
  }

  /** The session of now; `expiresAt` moves on with each request. */
  get session(): Session | undefined {
    return this.#credentials.session;
  }

  get connection(): ConnectionState {
    return this.#line.state;
  }

  /** The session that the storage had, once it was read. Everything waits for that by itself. */
  async restore(): Promise<Session | undefined> {
    await this.#credentials.restored;
    return this.session;
  }

  /** Opens a user's session and ends the one before. @throws {AtriumError} `UNAUTHENTICATED`: wrong login or password */
  signIn(who: SignIn): Promise<Session> {
    return this.#credentials.signIn(who);
  }

  /** Opens an application session, which reads what everybody may and signs users up. */
  openSession(): Promise<Session> {
    return this.#credentials.openSession();
  }

  /** Forgets the session at once and ends all subscriptions. Resolves when the service has ended it, too. */
  signOut(): Promise<void> {
    this.#line.endAll();
    return this.#credentials.signOut();
  }

  /** Asks; tries again by itself what may pass. @throws {AtriumError} also when a part of the answer failed */
  query<Data, Variables>(
    document: Document<Data, Variables>,
    ...[variables, options = {}]: Given<Variables, RequestOptions>
  ): Promise<Data> {
    const operation = operationOf(document, 'query');
    return this.#ask(operation, (variables ?? {}) as Values, options, true) as Promise<Data>;
  }

  /** Changes something. Messages get a `clientId`, so they are sent again when an answer is lost, and stored once. */
  mutate<Data, Variables>(
    document: Document<Data, Variables>,
    ...[variables, options = {}]: Given<Variables, MutationOptions>
  ): Promise<Data> {
    const operation = operationOf(document, 'mutation');
    const keyed = withClientIds(operation, (variables ?? {}) as Values);
    const isRepeatable = keyed.isRepeatable || options.idempotent === true;
    return this.#ask(operation, keyed.variables, options, isRepeatable) as Promise<Data>;
  }

  /**
   * Listens. What can be resumed has to be written so: `subscription ($since: String) { messageSent(since: $since) {
   * cursor … } }`; `since` may be left out, for from now on.
   */
  subscribe<Data, Variables>(
    document: Document<Data, Variables>,
    ...[variables, options = {}]: Given<Variables, SubscriptionOptions<Data>>
  ): Subscription<Data> {
    if (!this.#options.webSocket && typeof (globalThis as { WebSocket?: unknown }).WebSocket === 'undefined') {
      throw new TypeError('There is no WebSocket here: give createClient `webSocket`, that of the package ws, say');
    }
    return new Subscription<Data>(document, (variables ?? {}) as Values, this.#line, options);
  }

  /** Ends all subscriptions; the session lives on. */
  close(): void {
    this.#line.endAll();
  }

  async #ask(
    operation: ReturnType<typeof operationOf>,
    variables: Values,
    { signal }: RequestOptions,
    isRepeatable: boolean,
  ) {
    const { retries = 3 } = this.#options;
    return withRetries(isRepeatable ? retries : 0, signal, async () => {
      const headers = await this.#credentials.headers();
      try {
        return await this.#send(operation, variables, headers, signal);
      } catch (error) {
        // It was refused before anything was done, so this is no repetition.
        if (!this.#credentials.isRefusal(error) || !(await this.#credentials.renew(headers))) throw error;
        return this.#send(operation, variables, await this.#credentials.headers(), signal);
      }
    });
  }

  async #send(
    operation: ReturnType<typeof operationOf>,
    variables: Values,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ) {
    const data = await this.#http.send(operation, variables, { headers, signal });
    this.#credentials.noteAnswer(headers);
    return data;
  }

  #changed(session: Session | undefined): void {
    if (session) {
      // What one user listens to is not the next one's.
      if (this.#userId !== undefined && this.#userId !== session.userId) this.#line.endAll();
      this.#userId = session.userId;
      this.#line.restart();
    }
    tell(this.#options.onSessionChange, session);
  }
}

/** What an application does wrong when it is told something is reported as its own fault, and stops nothing here. */
function tell<Told>(hear: ((told: Told) => void) | undefined, told: Told): void {
  try {
    hear?.(told);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

export type { AtriumClient };
