export interface Session {
  id: number;
  applicationId: number;
  /** Null: an application session. */
  userId: number | null;
  /** Credential of 40 hex digits, for example for REST requests outside this client. */
  token: string;
  /** Expiry without further requests. */
  expiresAt: Date;
}

export interface StoredSession extends Omit<Session, 'expiresAt'> {
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** Lifetime in milliseconds after each request. */
  lifetime: number;
}

export interface SessionStorage {
  load: () => StoredSession | undefined | Promise<StoredSession | undefined>;
  /** Undefined: removes the stored session. */
  save: (session: StoredSession | undefined) => void | Promise<void>;
}

interface WebStorage {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
}

/** Stores the session in `sessionStorage` or `localStorage`, where any script of the page can read it. */
export function webStorage(storage: WebStorage, key = 'atrium'): SessionStorage {
  return {
    load: () => {
      const text = storage.getItem(key);
      return text === null ? undefined : JSON.parse(text);
    },
    save: (session) => (session ? storage.setItem(key, JSON.stringify(session)) : storage.removeItem(key)),
  };
}
