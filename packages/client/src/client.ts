import { type AdministratorOptions, Credentials, type SignedRequest, type SignIn } from './credentials.ts';
import { type Document, operationOf, type Values, withClientIds } from './documents.ts';
import { Http, withRetries } from './http.ts';
import { type ConnectionState, Line } from './line.ts';
import type { Session, SessionStorage } from './storage.ts';
import { Subscription, type SubscriptionOptions } from './subscription.ts';

export interface ClientOptions {
  /** Base URL of the service: `https://chat.example.com`. */
  url: string;
  /** Id of an application with the setting `publicSignIn`, whose sessions need no signature. */
  applicationId?: number;
  /**
   * Requests a signature from your own server; called whenever a session opens. The secret must remain on the server.
   * Replaces `applicationId`.
   */
  sign?: () => SignedRequest | Promise<SignedRequest>;
  /**
   * Called when the session has expired or was ended elsewhere; returns credentials to sign in with. Requests wait for
   * the result. Without credentials, they fail with `UNAUTHENTICATED`, and subscriptions end. Must not use this client,
   * because its requests wait for this function.
   */
  renew?: () => SignIn | undefined | Promise<SignIn | undefined>;
  /** Default: the session is lost with this client. */
  storage?: SessionStorage;
  /** For servers: an API key instead of a session. */
  apiKey?: string;
  /** For pages of the console: its cookie instead of a session. */
  administrator?: AdministratorOptions;
  /** User id to act as; only with `apiKey` or `administrator`. */
  onBehalfOf?: number;
  /** Called when a session begins or ends, but not when it is extended. */
  onSessionChange?: (session: Session | undefined) => void;
  onConnectionChange?: (state: ConnectionState) => void;
  /** Retries of a query after a transient error; default 3. */
  retries?: number;
  /** Timeout per response in milliseconds; default 30,000. */
  timeout?: number;
  /** Interval of pings in milliseconds while subscriptions exist; default 10,000. */
  heartbeat?: number;
  /** Name of the token header; default `SVC-Token`. */
  tokenHeader?: string;
  fetch?: typeof fetch;
  /**
   * A class like the browser's `WebSocket`, for example from the package `ws`. Required where there is no global one
   * (Node before 22).
   */
  webSocket?: unknown;
}

export interface RequestOptions {
  signal?: AbortSignal;
}

export interface MutationOptions extends RequestOptions {
  /** The mutation can safely be sent twice, so retry it like a query. Sending messages is always retried. */
  idempotent?: boolean;
  /** Retries after a transient error; default: those of the client. */
  retries?: number;
}

/** The variables are optional if none is required. */
export type Given<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: NoInfer<Variables>, options?: NoInfer<Options>]
    : [variables: NoInfer<Variables>, options?: NoInfer<Options>];

/** @throws {TypeError} invalid URL */
export function createClient(options: ClientOptions): AtriumClient {
  return new AtriumClient(options);
}

class AtriumClient {
  readonly #options: ClientOptions;
  readonly #http: Http;
  readonly #credentials: Credentials;
  readonly #line: Line;
  /** Remains set after the session has ended. */
  #userId: number | null | undefined;

  constructor(options: ClientOptions) {
    const url = new URL('graphql', options.url.endsWith('/') ? options.url : `${options.url}/`);
    const { tokenHeader = 'SVC-Token', heartbeat = 10_000, timeout = 30_000 } = options;
    this.#options = options;
    // Wrapped, because browsers reject calls of `fetch` without `window`.
    const cookies = options.administrator ? 'same-origin' : 'omit';
    this.#http = new Http(url.href, options.fetch ?? ((...request) => fetch(...request)), { timeout, cookies });
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
      onState: (state) => callSafely(options.onConnectionChange, state),
    });
  }

  /** The current session; each request extends `expiresAt`. */
  get session(): Session | undefined {
    return this.#credentials.session;
  }

  get connection(): ConnectionState {
    return this.#line.state;
  }

  /** Returns the session from the storage. Optional, because requests wait for it themselves. */
  async restore(): Promise<Session | undefined> {
    await this.#credentials.restored;
    return this.session;
  }

  /**
   * Opens a session of a user and ends the previous one. @throws {AtriumError} `UNAUTHENTICATED`: wrong login or
   * password
   */
  signIn(who: SignIn): Promise<Session> {
    return this.#credentials.signIn(who);
  }

  /**
   * Opens a session of a new user without credentials and ends the previous one. @throws {AtriumError} `DISABLED` unless
   * the application permits guests
   */
  signInAsGuest(): Promise<Session> {
    return this.#credentials.signInAsGuest();
  }

  /** An application session can read public data and sign up users. */
  openSession(): Promise<Session> {
    return this.#credentials.openSession();
  }

  /** Forgets the session and ends all subscriptions immediately. Resolves when the service has ended the session. */
  signOut(): Promise<void> {
    this.#line.endAll();
    return this.#credentials.signOut();
  }

  /** Runs a query; retries transient errors. @throws {AtriumError} also on partial errors */
  query<Data, Variables>(
    document: Document<Data, Variables>,
    ...[variables, options = {}]: Given<Variables, RequestOptions>
  ): Promise<Data> {
    const operation = operationOf(document, 'query');
    return this.#ask(operation, (variables ?? {}) as Values, options, true) as Promise<Data>;
  }

  /** Runs a mutation. Messages get a `clientId`, so that they can be retried without being stored twice. */
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
   * Starts a subscription. Resumable ones must have the form `subscription ($since: String) { messageSent(since:
   * $since) { cursor … } }`. Without a value of `since`, they start with the next event.
   */
  subscribe<Data, Variables>(
    document: Document<Data, Variables>,
    ...[variables, options = {}]: Given<Variables, SubscriptionOptions<Data>>
  ): Subscription<Data> {
    if (!this.#options.webSocket && typeof (globalThis as { WebSocket?: unknown }).WebSocket === 'undefined') {
      throw new TypeError('There is no global WebSocket: pass the option `webSocket`, for example from the package ws');
    }
    return new Subscription<Data>(document, (variables ?? {}) as Values, this.#line, options);
  }

  /** Ends all subscriptions; the session continues. */
  close(): void {
    this.#line.endAll();
  }

  async #ask(
    operation: ReturnType<typeof operationOf>,
    variables: Values,
    { signal, retries = this.#options.retries ?? 3 }: MutationOptions,
    isRepeatable: boolean,
  ) {
    return withRetries(isRepeatable ? retries : 0, signal, async () => {
      const headers = await this.#credentials.headers();
      try {
        return await this.#send(operation, variables, headers, signal);
      } catch (error) {
        // Not a retry, because the service rejected the request before executing it.
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
      // Subscriptions of one user must not continue for another.
      if (this.#userId !== undefined && this.#userId !== session.userId) this.#line.endAll();
      this.#userId = session.userId;
      this.#line.restart();
    }
    callSafely(this.#options.onSessionChange, session);
  }
}

/** Reports errors of an application callback as uncaught, so that they do not interrupt the client. */
function callSafely<Value>(callback: ((value: Value) => void) | undefined, value: Value): void {
  try {
    callback?.(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

export type { AtriumClient };
