import type { VariablesOf } from 'gql.tada';
import { type Document, operationOf, type Values } from './documents.ts';
import { AtriumError } from './errors.ts';
import type { Http } from './http.ts';
import { graphql } from './schema.ts';
import type { Session, SessionStorage, StoredSession } from './storage.ts';

const CREATE_SESSION = graphql(`mutation CreateSession($input: CreateSessionInput!) {
  createSession(input: $input) { id applicationId userId token updatedAt expiresAt }
}`);
const LOGIN_USER = graphql(`mutation LoginUser($input: LoginUserInput!) { loginUser(input: $input) { id } }`);
const DELETE_SESSION = graphql(`mutation DeleteSession { deleteSession }`);
const SESSION = graphql(`query Session { session { id } }`);

/** A signed request for an application session: nothing in it is secret, and it works once. */
export interface SignedRequest {
  applicationId: number;
  authKey: string;
  nonce: number;
  /** Unix seconds, at most an hour off the service's clock. */
  timestamp: number;
  signature: string;
}

/** Who signs in: by login or e-mail and password, by what a provider vouches for, or by a request signed elsewhere. */
export type SignIn =
  | { login: string; password: string }
  | { email: string; password: string }
  | { provider: 'facebook'; keys: { token: string } }
  | { provider: 'twitter'; keys: { token: string; secret: string } }
  /** A phone number that Firebase has verified. */
  | { provider: 'firebase_phone'; firebasePhone: { accessToken: string; projectId: string } }
  | { signed: VariablesOf<typeof CREATE_SESSION>['input'] };

export interface CredentialOptions {
  apiKey?: string | undefined;
  onBehalfOf?: number | undefined;
  tokenHeader: string;
  sign?: (() => SignedRequest | Promise<SignedRequest>) | undefined;
  renew?: (() => SignIn | undefined | Promise<SignIn | undefined>) | undefined;
  storage?: SessionStorage | undefined;
  onChange: (session: Session | undefined) => void;
}

/** What the service says of a token that opens no session, or no longer. */
const SESSION_OVER = 'Required session does not exist';
/** The part of its lifetime after which it is worth to note that a session goes on. */
const WORTH_NOTING = 1 / 20;

/** Who the client is: the session, its beginning, its renewal and its end; or an API key. */
export class Credentials {
  readonly #http: Http;
  readonly #options: CredentialOptions;
  readonly restored: Promise<void>;
  #session: StoredSession | undefined;
  #savedExpiry = 0;
  #renewing: Promise<boolean> | undefined;

  constructor(http: Http, options: CredentialOptions) {
    this.#http = http;
    this.#options = options;
    this.restored = this.#restore();
    this.restored.catch(() => {}); // whoever needs the session hears of it
  }

  get session(): Session | undefined {
    return this.#session && shown(this.#session);
  }

  /** The headers that go with a request, also as the payload of `connection_init`. */
  async headers(): Promise<Record<string, string>> {
    const { apiKey, onBehalfOf, tokenHeader } = this.#options;
    if (apiKey !== undefined) {
      const user: Record<string, string> = onBehalfOf === undefined ? {} : { 'On-Behalf-Of': String(onBehalfOf) };
      return { Authorization: `ApiKey ${apiKey}`, ...user };
    }
    await this.restored;
    await this.#renewing?.catch(() => {}); // whoever began it hears of that
    return this.#session ? { [tokenHeader]: this.#session.token } : {};
  }

  /** Whether a request of now would have these headers. */
  async isCurrent(headers: Record<string, string>): Promise<boolean> {
    return JSON.stringify(headers) === JSON.stringify(await this.headers());
  }

  /** An answer came to a request with these headers: the session's lifetime began anew. */
  noteAnswer(headers: Record<string, string>): void {
    const session = this.#session;
    if (!session || headers[this.#options.tokenHeader] !== session.token) return;
    const expiresAt = Date.now() + session.lifetime;
    this.#session = { ...session, expiresAt };
    if (expiresAt - this.#savedExpiry > session.lifetime * WORTH_NOTING) void this.#save().catch(() => {});
  }

  /** Restarts the session's lifetime when three quarters of it have passed. */
  async prolong(): Promise<void> {
    const session = this.#session;
    if (!session || session.expiresAt - Date.now() > session.lifetime / 4) return;
    const headers = await this.headers();
    await this.#http.send(operationOf(SESSION, 'query'), {}, { headers });
    this.noteAnswer(headers);
  }

  /** Whether an error says that the session with which it was asked is over. */
  isRefusal(error: unknown): boolean {
    return error instanceof AtriumError && error.code === 'UNAUTHENTICATED' && error.message === SESSION_OVER;
  }

  /**
   * These headers were refused. Another session may have begun meanwhile, here or in the storage; else the
   * application is asked who signs in.
   * @returns whether there is a session to try again with
   */
  async renew(headers: Record<string, string>): Promise<boolean> {
    const refused = headers[this.#options.tokenHeader];
    if (refused === undefined) return false;
    if (this.#session && this.#session.token !== refused) return true;
    this.#renewing ??= this.#renew(refused).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async signIn(who: SignIn): Promise<Session> {
    await this.restored;
    const before = this.#session;
    const next = 'signed' in who ? await this.#create(who.signed) : await this.#login(who, before);
    await this.#install(next);
    // Whoever signs in anew leaves no session behind that somebody else could find.
    if (before && before.token !== next.token) void this.#end(before).catch(() => {});
    return shown(next);
  }

  async openSession(): Promise<Session> {
    const session = await this.#create(await this.#signed());
    await this.#install(session);
    return shown(session);
  }

  async signOut(): Promise<void> {
    await this.restored;
    const session = this.#session;
    if (!session) return;
    await this.#install(undefined);
    try {
      await this.#end(session);
    } catch (error) {
      if (!this.isRefusal(error)) throw error;
    }
  }

  async #restore(): Promise<void> {
    if (this.#options.apiKey !== undefined) return;
    const session = await this.#options.storage?.load();
    if (!session) return;
    this.#session = session;
    this.#savedExpiry = session.expiresAt;
    this.#options.onChange(shown(session));
  }

  async #renew(refused: string): Promise<boolean> {
    const stored = await this.#options.storage?.load();
    if (stored && stored.token !== refused) {
      await this.#install(stored);
      return true;
    }
    await this.#install(undefined);
    const who = await this.#options.renew?.();
    if (who) await this.signIn(who);
    return this.#session !== undefined;
  }

  /** Makes an application session that user's: the password goes to the service and to nobody else. */
  async #login(who: Exclude<SignIn, { signed: unknown }>, before: StoredSession | undefined): Promise<StoredSession> {
    const session = before?.userId === null ? before : await this.#create(await this.#signed());
    try {
      const { loginUser } = await this.#run(LOGIN_USER, { input: inputOf(who) }, session.token);
      return { ...session, userId: loginUser.id, expiresAt: Date.now() + session.lifetime };
    } catch (error) {
      if (session !== before) void this.#end(session).catch(() => {});
      throw error;
    }
  }

  async #signed(): Promise<SignedRequest> {
    const { sign } = this.#options;
    if (!sign)
      throw new TypeError('To sign in, createClient needs `sign`, which asks your server for a signed request');
    const { applicationId, authKey, nonce, timestamp, signature } = await sign();
    return { applicationId, authKey, nonce, timestamp, signature };
  }

  async #create(input: VariablesOf<typeof CREATE_SESSION>['input']): Promise<StoredSession> {
    const { createSession } = await this.#run(CREATE_SESSION, { input });
    const { id, applicationId, userId, token, updatedAt, expiresAt } = createSession;
    // By the service's clock alone, since this one's may be wrong.
    const lifetime = Date.parse(expiresAt) - Date.parse(updatedAt);
    return { id, applicationId, userId, token, lifetime, expiresAt: Date.now() + lifetime };
  }

  async #end({ token }: StoredSession): Promise<void> {
    await this.#run(DELETE_SESSION, {}, token);
  }

  async #install(session: StoredSession | undefined): Promise<void> {
    this.#session = session;
    await this.#save();
    this.#options.onChange(this.session);
  }

  async #save(): Promise<void> {
    this.#savedExpiry = this.#session?.expiresAt ?? 0;
    await this.#options.storage?.save(this.#session);
  }

  async #run<Data, Variables>(
    document: Document<Data, Variables>,
    variables: Variables,
    token?: string,
  ): Promise<Data> {
    const headers: Record<string, string> = token === undefined ? {} : { [this.#options.tokenHeader]: token };
    return (await this.#http.send(operationOf(document, 'mutation'), variables as Values, { headers })) as Data;
  }
}

/** Applications hand over what they have, a whole form perhaps. */
function inputOf(who: Exclude<SignIn, { signed: unknown }>): VariablesOf<typeof LOGIN_USER>['input'] {
  const { login, email, password, provider, keys, firebasePhone } = who as VariablesOf<typeof LOGIN_USER>['input'];
  return { login, email, password, provider, keys, firebasePhone };
}

function shown({ lifetime: _, expiresAt, ...session }: StoredSession): Session {
  return { ...session, expiresAt: new Date(expiresAt) };
}
