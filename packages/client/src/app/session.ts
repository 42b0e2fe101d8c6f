import type { AtriumClient } from '../client.ts';
import type { SignIn } from '../credentials.ts';
import { AtriumError, type SignInChallenge } from '../errors.ts';
import type { Session } from '../storage.ts';
import {
  ADD_PASSKEY,
  CREATE_USER,
  EMAIL,
  ME,
  NEW_PASSKEY,
  PASSKEYS,
  REQUEST_CODE,
  REQUEST_PASSKEY,
  REQUEST_VERIFICATION,
  userOf,
  VERIFY,
} from './chat-documents.ts';
import type { User } from './chat-types.ts';
import type { Core } from './core.ts';
import { channelOf } from './locks.ts';
import { type Live, quiet, Store, watching } from './store.ts';
import type { Users } from './users.ts';

/** `restoring`: the session of an earlier visit is being read. `expired`: it ended without `signOut`. */
export type SessionState =
  | { status: 'restoring'; user: undefined }
  | { status: 'signedOut'; user: undefined; isExpired: boolean }
  | { status: 'signedIn'; user: User };

export interface NewUser {
  login?: string;
  email?: string;
  password: string;
  fullName?: string;
  customData?: string;
}

/** A code was mailed, or the address belongs to no user. */
export interface RequestedCode {
  /** Secret of this client: the code is valid only together with it. */
  token: string;
  /** ISO 8601. */
  expiresAt: string;
}

export interface CodeOptions {
  /** Of the mail, such as `de`. */
  language?: string;
}

export interface ProviderPage {
  /** Name of the issuer, such as `google`. */
  provider: string;
  /** One of its return addresses. */
  returnTo: string;
  /** SHA-256 of the verifier; base64url. */
  codeChallenge: string;
  /** Comes back unchanged. */
  state: string;
}

export interface Passkey {
  id: number;
  /** That the user chose. */
  name: string;
  /** Domain where it works. */
  host: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601; null before the first sign-in with it. */
  lastUsedAt: string | null;
}

/** From `toJSON()` of a created `PublicKeyCredential`; bytes in base64url. */
export interface NewPasskey {
  id: string;
  clientDataJSON: string;
  attestationObject: string;
  transports?: string[] | undefined;
}

/** Who is signed in. */
export class SessionApi {
  readonly #core: Core;
  readonly #client: AtriumClient;
  readonly #users: Users;
  readonly #store = new Store<SessionState>({ status: 'restoring', user: undefined });
  readonly #restored: Promise<void>;
  readonly #tabs: BroadcastChannel | undefined;
  readonly #root: URL;
  #isSigningOut = false;

  /** @param name distinguishes services and applications. @param root of the service, ends with a slash */
  constructor(core: Core, users: Users, name: string, root: URL) {
    this.#root = root;
    this.#core = core;
    this.#client = core.client;
    this.#users = users;
    this.#restored = this.#restore();
    this.#tabs = channelOf<number>(`atrium-session:${name}`, (endedId) => {
      if (endedId === this.#client.session?.id) void this.#leave();
    });
  }

  get state(): Live<SessionState> {
    return this.#store;
  }

  get user(): User | undefined {
    return this.#store.get().user;
  }

  /** Calls `show` with the state, and again after each change. @returns stops it */
  watch(show: (state: SessionState) => void): () => void {
    return watching(this.#store, show);
  }

  /** Resolves when the session of an earlier visit has been read; works without network. */
  async restore(): Promise<User | undefined> {
    await this.#restored;
    return this.user;
  }

  /** Creates a user and signs in. @throws {AtriumError} `UNPROCESSABLE` with `fields` */
  async signUp({ login, email, password, ...profile }: NewUser): Promise<User> {
    if (this.#client.session?.userId !== null) await this.#client.openSession();
    await this.#client.mutate(CREATE_USER, { input: { login, email, password, ...profile } });
    return this.signIn(login ? { login, password } : { email: email ?? '', password });
  }

  /** @throws {AtriumError} `UNAUTHENTICATED`: wrong login or password */
  async signIn(who: SignIn): Promise<User> {
    await this.#client.signIn(who);
    return this.#load();
  }

  /**
   * Mails a code for `signIn({ emailCode: { token, code } })`, at most one per minute and address. @throws {AtriumError}
   * `DISABLED` unless the application setting `emailSignIn` is on
   */
  async requestCode(email: string, { language }: CodeOptions = {}): Promise<RequestedCode> {
    const applicationId = await this.#applicationId();
    return (await this.#client.mutate(REQUEST_CODE, { applicationId, email, language })).requestSignInCode;
  }

  /**
   * What a passkey signs for `signIn({ answer })`. @throws {AtriumError} `DISABLED` unless the application has
   * `passkeyOrigins`
   */
  async requestPasskey(): Promise<SignInChallenge> {
    const applicationId = await this.#applicationId();
    return (await this.#client.mutate(REQUEST_PASSKEY, { applicationId })).requestPasskeySignIn;
  }

  /** Passkeys of the user, oldest first. */
  async passkeys(): Promise<Passkey[]> {
    return (await this.#client.query(PASSKEYS)).signInMethods.passkeys;
  }

  /**
   * @param create makes the passkey, in pages with `navigator.credentials.create()`
   * @throws {AtriumError} `CONFIRMATION_REQUIRED` 10 minutes after the sign-in; `DISABLED` unless the application has
   * `passkeyOrigins`
   */
  async addPasskey(name: string, create: (options: unknown) => Promise<NewPasskey>): Promise<Passkey> {
    const { token, passkeyOptions } = (await this.#client.mutate(NEW_PASSKEY, {})).requestUserPasskey;
    const passkey = await create(passkeyOptions);
    return (await this.#client.mutate(ADD_PASSKEY, { name, token, passkey })).createUserPasskey;
  }

  /** Address to which a page sends its browser, for `signIn({ providerCode })` when it returns. */
  async providerPage({ provider, returnTo, codeChallenge, state }: ProviderPage): Promise<string> {
    const page = new URL(`sign-in/${await this.#applicationId()}/${provider}`, this.#root);
    page.search = String(new URLSearchParams({ return_to: returnTo, code_challenge: codeChallenge, state }));
    return page.href;
  }

  /** Signs in as a new user without credentials. @throws {AtriumError} `DISABLED` unless `guestDays` is set */
  async signInAsGuest(): Promise<User> {
    await this.#client.signInAsGuest();
    return this.#load();
  }

  /** Whether the address of the user is verified; undefined without an address. */
  async isEmailVerified(): Promise<boolean | undefined> {
    const { me } = await this.#client.query(EMAIL);
    return me.email === null ? undefined : me.emailVerified;
  }

  /** Mails a code for `verifyEmail` to the address of the user, at most one per minute. */
  async requestVerification({ language }: CodeOptions = {}): Promise<RequestedCode> {
    return (await this.#client.mutate(REQUEST_VERIFICATION, { language })).requestEmailVerification;
  }

  /** @throws {AtriumError} `UNPROCESSABLE`: wrong, used or expired */
  async verifyEmail({ token }: RequestedCode, code: string): Promise<void> {
    await this.#client.mutate(VERIFY, { token, code });
  }

  /**
   * Removes everything that is stored on this device, unsent messages included, and ends its pushes and the session in
   * other tabs. Resolves also without network.
   */
  async signOut(): Promise<void> {
    const { session } = this.#client;
    if (session) this.#tabs?.postMessage(session.id);
    await this.#leave();
  }

  async #applicationId(): Promise<number> {
    return ((await this.#client.restore()) ?? (await this.#client.openSession())).applicationId;
  }

  async #leave(): Promise<void> {
    this.#isSigningOut = true;
    await this.#core.outbox.discardAll();
    const ended = Promise.allSettled([this.#client.signOut(), endPushes()]);
    // First, because the network may be slow.
    await this.#core.cache.clear();
    await ended;
    this.#isSigningOut = false;
  }

  /** For `Atrium.close`. */
  close(): void {
    this.#tabs?.close();
  }

  /** For the client: its session begins, ends or changes. */
  changed(session: Session | undefined): void {
    if (session?.userId != null) void quiet(this.#load());
    else this.#show({ status: 'signedOut', user: undefined, isExpired: session === undefined && !this.#isSigningOut });
  }

  async #restore(): Promise<void> {
    try {
      const session = await this.#client.restore();
      if (session?.userId == null) return this.#show({ status: 'signedOut', user: undefined, isExpired: false });
      const { userId } = session;
      // Without network, the user of the last visit can read what is stored and write into the outbox.
      const user = await this.#core.cache.load<User>(`user:${userId}`);
      if (user) this.#show({ status: 'signedIn', user });
      if (user) void quiet(this.#load());
      else await this.#load();
    } catch {
      if (this.#store.get().status === 'restoring')
        this.#show({ status: 'signedOut', user: undefined, isExpired: false });
    }
  }

  #loading: { token: string | undefined; user: Promise<User> } | undefined;

  #load(): Promise<User> {
    const token = this.#client.session?.token;
    if (this.#loading && this.#loading.token === token) return this.#loading.user;
    const loading = { token, user: quiet(this.#loadUser()) };
    this.#loading = loading;
    const forget = () => {
      if (this.#loading === loading) this.#loading = undefined;
    };
    loading.user.then(forget, forget);
    return loading.user;
  }

  async #loadUser(): Promise<User> {
    const userId = this.#client.session?.userId;
    const user = userOf((await this.#client.query(ME)).me);
    if (this.#client.session?.userId !== userId) throw new AtriumError('UNAUTHENTICATED', 'The session has changed');
    this.#users.remember(user);
    const before = this.user;
    const isSame = before && JSON.stringify(before) === JSON.stringify(user);
    if (!isSame) this.#show({ status: 'signedIn', user });
    return user;
  }

  #show(state: SessionState): void {
    const before = this.#store.get();
    const isNew = before.user?.id !== state.user?.id;
    if (before.status === 'signedOut' && state.status === 'signedOut' && before.isExpired === state.isExpired) return;
    this.#store.set(state);
    this.#core.outbox.use(state.user?.id);
    if (isNew) for (const store of this.#core.stores) store.restart();
  }
}

/** The service has deleted the devices of this session; the browser may have subscribed with an earlier one. */
async function endPushes(): Promise<void> {
  const registration = await globalThis.navigator?.serviceWorker?.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}
