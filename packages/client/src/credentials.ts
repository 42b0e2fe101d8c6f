import { type Document, operationOf, type Values } from './documents.ts';
import { AtriumError, mayPass } from './errors.ts';
import type { ResultOf, VariablesOf } from './generated/gql-tada.d.ts';
import type { Http } from './http.ts';
import { graphql } from './schema.ts';
import type { Session, SessionStorage, StoredSession } from './storage.ts';

const CREATE_SESSION = graphql(`mutation CreateSession($input: CreateSessionInput!) {
  createSession(input: $input) { id applicationId userId token updatedAt expiresAt }
}`);
const CREATE_GUEST_SESSION = graphql(`mutation CreateGuestSession($input: CreateSessionInput!) {
  createGuestSession(input: $input) { id applicationId userId token updatedAt expiresAt }
}`);
const LOGIN_USER = graphql(`mutation LoginUser($input: LoginUserInput!) { loginUser(input: $input) { id } }`);
const DELETE_SESSION = graphql(
  `mutation DeleteSession($successorId: Int) { deleteSession(successorId: $successorId) }`,
);
const SESSION = graphql(`query Session { session { id } }`);

/** A signed request for an application session. It contains no secret and is valid once. */
export interface SignedRequest {
  applicationId: number;
  authKey: string;
  nonce: number;
  /** Unix seconds; may differ from the clock of the service by at most an hour. */
  timestamp: number;
  signature: string;
}

/**
 * Credentials of a user: login or e-mail with password, a mailed code, an identity provider, the answer to a challenge of a
 * second factor or passkey, or a signed request.
 */
export type SignIn =
  | { login: string; password: string }
  | { email: string; password: string }
  | { emailCode: { token: string; code: string } }
  | { answer: NonNullable<VariablesOf<typeof LOGIN_USER>['input']['answer']> }
  | { idToken: { token: string; nonce?: string } }
  | { providerCode: { code: string; verifier: string } }
  | { provider: 'facebook'; keys: { token: string } }
  | { provider: 'twitter'; keys: { token: string; secret: string } }
  | { provider: 'firebase_phone'; firebasePhone: { accessToken: string; projectId: string } }
  | { signed: VariablesOf<typeof CREATE_SESSION>['input'] };

/** A person who is signed in to the console. */
export interface AdministratorOptions {
  /** Id of the application, or `none` for operations outside of applications. */
  application: number | 'none';
  /** Why the person reads messages; called for each request. */
  reason?: () => string | undefined;
}

export interface CredentialOptions {
  administrator?: AdministratorOptions | undefined;
  apiKey?: string | undefined;
  onBehalfOf?: number | undefined;
  tokenHeader: string;
  applicationId?: number | undefined;
  sign?: (() => SignedRequest | Promise<SignedRequest>) | undefined;
  renew?: (() => SignIn | undefined | Promise<SignIn | undefined>) | undefined;
  storage?: SessionStorage | undefined;
  onChange: (session: Session | undefined) => void;
}

/**
 * An extended session is saved only after this fraction of its lifetime, so that not every response writes to the
 * storage.
 */
const SAVE_FRACTION = 1 / 20;

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
    this.restored.catch(() => {}); // `headers` rejects with it
  }

  get session(): Session | undefined {
    return this.#session && shown(this.#session);
  }

  /** Headers of a request; also the payload of `connection_init`. */
  async headers(): Promise<Record<string, string>> {
    const { apiKey, administrator, onBehalfOf, tokenHeader } = this.#options;
    const user: Record<string, string> = onBehalfOf === undefined ? {} : { 'On-Behalf-Of': String(onBehalfOf) };
    if (apiKey !== undefined) return { Authorization: `ApiKey ${apiKey}`, ...user };
    if (administrator) return { ...headersOf(administrator), ...user };
    await this.restored;
    await this.#renewing?.catch(() => {}); // the caller of `renew` handles the error
    return this.#session ? { [tokenHeader]: this.#session.token } : {};
  }

  async isCurrent(headers: Record<string, string>): Promise<boolean> {
    return JSON.stringify(headers) === JSON.stringify(await this.headers());
  }

  noteAnswer(headers: Record<string, string>): void {
    const session = this.#session;
    if (!session || headers[this.#options.tokenHeader] !== session.token) return;
    const expiresAt = Date.now() + session.lifetime;
    this.#session = { ...session, expiresAt };
    if (expiresAt - this.#savedExpiry > session.lifetime * SAVE_FRACTION) void this.#save().catch(() => {});
  }

  async prolong(): Promise<void> {
    const session = this.#session;
    if (!session || session.expiresAt - Date.now() > session.lifetime / 4) return;
    const headers = await this.headers();
    await this.#http.send(operationOf(SESSION, 'query'), {}, { headers });
    this.noteAnswer(headers);
  }

  isRefusal(error: unknown): boolean {
    return error instanceof AtriumError && error.reason === 'SESSION_MISSING';
  }

  /**
   * Replaces rejected credentials: by a newer session of this client or of the storage, or else by calling `renew`.
   * @returns whether there is a session to retry with
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
    // End the previous session, so that nothing else can use its token.
    if (before && before.token !== next.token) void this.#end(before, next).catch(() => {});
    return shown(next);
  }

  /** Also ends the previous session. */
  async signInAsGuest(): Promise<Session> {
    await this.restored;
    const before = this.#session;
    const input = await this.#signed();
    const next = storedOf((await this.#run(CREATE_GUEST_SESSION, { input })).createGuestSession);
    await this.#install(next);
    if (before) void this.#end(before, next).catch(() => {});
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
    this.#session = undefined;
    const stored = await this.#options.storage?.load();
    // Another tab may have stored a later session.
    if (!stored || stored.token === session.token) await this.#save();
    this.#options.onChange(undefined);
    try {
      await this.#end(session);
    } catch (error) {
      if (!this.isRefusal(error)) throw error;
    }
  }

  async #restore(): Promise<void> {
    if (this.#options.apiKey !== undefined || this.#options.administrator) return;
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
    const before = this.#session;
    await this.#install(undefined);
    try {
      const who = await this.#options.renew?.();
      if (who) await this.signIn(who);
    } catch (error) {
      // Without an answer of the service, the next request tries again.
      if (!(error instanceof AtriumError) || mayPass(error)) await this.#install(before);
      throw error;
    }
    return this.#session !== undefined;
  }

  /** Turns an application session into one of the user, so that only the service sees the password. */
  async #login(who: Exclude<SignIn, { signed: unknown }>, before: StoredSession | undefined): Promise<StoredSession> {
    const { sign, applicationId } = this.#options;
    if (before?.userId !== null && !sign && applicationId !== undefined) {
      const { login, email, password, ...identity } = inputOf(who);
      return this.#create({
        applicationId,
        ...identity,
        ...(password != null && { user: { login, email, password } }),
      });
    }
    const session = before?.userId === null ? before : await this.#create(await this.#signed());
    try {
      const { loginUser } = await this.#run(LOGIN_USER, { input: inputOf(who) }, session.token);
      return { ...session, userId: loginUser.id, expiresAt: Date.now() + session.lifetime };
    } catch (error) {
      if (session !== before) void this.#end(session).catch(() => {});
      throw error;
    }
  }

  async #signed(): Promise<VariablesOf<typeof CREATE_SESSION>['input']> {
    const { sign, applicationId: unsigned } = this.#options;
    if (!sign && unsigned !== undefined) return { applicationId: unsigned };
    if (!sign) throw new TypeError('Signing in requires the option `applicationId` or `sign` of createClient');
    const { applicationId, authKey, nonce, timestamp, signature } = await sign();
    return { applicationId, authKey, nonce, timestamp, signature };
  }

  async #create(input: VariablesOf<typeof CREATE_SESSION>['input']): Promise<StoredSession> {
    return storedOf((await this.#run(CREATE_SESSION, { input })).createSession);
  }

  async #end({ token, userId }: StoredSession, successor?: StoredSession): Promise<void> {
    const successorId = successor?.userId === userId ? successor.id : undefined;
    await this.#run(DELETE_SESSION, { successorId }, token);
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

function headersOf({ application, reason }: AdministratorOptions): Record<string, string> {
  const text = reason?.();
  // Headers have only Latin letters.
  return { Application: String(application), ...(text && { Reason: encodeURIComponent(text) }) };
}

/** Picks the known properties, because callers may pass a complete form. */
function inputOf(who: Exclude<SignIn, { signed: unknown }>): VariablesOf<typeof LOGIN_USER>['input'] {
  const given = who as VariablesOf<typeof LOGIN_USER>['input'];
  const { login, email, password, emailCode, provider, keys, firebasePhone, answer, idToken, providerCode } = given;
  return { login, email, password, emailCode, provider, keys, firebasePhone, answer, idToken, providerCode };
}

function storedOf(session: ResultOf<typeof CREATE_SESSION>['createSession']): StoredSession {
  const { id, applicationId, userId, token, updatedAt, expiresAt } = session;
  // Both times are from the service, because the local clock may be wrong.
  const lifetime = Date.parse(expiresAt) - Date.parse(updatedAt);
  return { id, applicationId, userId, token, lifetime, expiresAt: Date.now() + lifetime };
}

function shown({ lifetime: _, expiresAt, ...session }: StoredSession): Session {
  return { ...session, expiresAt: new Date(expiresAt) };
}
