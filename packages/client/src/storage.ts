/** A session of the service. */
export interface Session {
  id: number;
  applicationId: number;
  /** Null for an application session. */
  userId: number | null;
  /** Opens the session: 40 hex digits, for requests past this client, such as REST's. */
  token: string;
  /** When it ends unless another request comes. */
  expiresAt: Date;
}

/** A session as JSON. */
export interface StoredSession extends Omit<Session, 'expiresAt'> {
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** Milliseconds that it lives after each request. */
  lifetime: number;
}

/** Where a client keeps its session between its lives. */
export interface SessionStorage {
  load: () => StoredSession | undefined | Promise<StoredSession | undefined>;
  /** Without a session: forgets the one it has. */
  save: (session: StoredSession | undefined) => void | Promise<void>;
}

interface WebStorage {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
}

/** Keeps the session in `sessionStorage` or `localStorage`. Any script of the page can read it there. */
export function webStorage(storage: WebStorage, key = 'atrium'): SessionStorage {
  return {
    load: () => {
      const text = storage.getItem(key);
      return text === null ? undefined : JSON.parse(text);
    },
    save: (session) => (session ? storage.setItem(key, JSON.stringify(session)) : storage.removeItem(key)),
  };
}
