import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The settings of the service. Each one is described in docs/reference/configuration.md, under its variable. */
export interface AtriumOptions {
  /** Address at which clients reach Atrium, with the path below which it is mounted: `https://example.org/backend`. */
  publicUrl: string;
  /** Path of requests as they arrive, letter case included, if a proxy changes it. Default: the path of `publicUrl`. */
  basePath?: string | undefined;
  /** Folder of the embedded database, files, keys and mails. Default: `./data`. */
  dataDir?: string | undefined;
  /** A PostgreSQL 15 or newer. Default: the embedded PostgreSQL in `dataDir`. */
  databaseUrl?: string | undefined;
  /** Address that bypasses a transaction-mode pooler. */
  databaseDirectUrl?: string | undefined;
  /** URLs of the further databases among which applications are divided, separated by spaces. Requires `redisUrl`. */
  databaseShards?: string | undefined;
  redisUrl?: string | undefined;
  /** Headers for session tokens, the preferred one first. Default: `['SVC-Token']`. */
  tokenHeaders?: readonly string[] | undefined;
  /** Lifetime of a session after its latest request. Default: 120. */
  sessionMinutes?: number | undefined;
  /** Default: 24. */
  eventRetentionHours?: number | undefined;
  /** Default: 30. */
  pushLogDays?: number | undefined;
  /** Default: 365. */
  auditDays?: number | undefined;
  /** Default: 7. */
  backupDays?: number | undefined;
  /** Default: 7. */
  requestLogDays?: number | undefined;
  /** Default: 1000. */
  requestLogSlowMs?: number | 'off' | undefined;
  /** Whether Web Push may use private networks. Default: false. */
  pushPrivateNetworks?: boolean | undefined;
  /** Whether key sets of issuers of tokens may be at private addresses and plain http. */
  issuerPrivateNetworks?: boolean | undefined;
  /** 32 bytes, as 64 hex digits or in Base64. Default: a key file in `dataDir`. */
  encryptionKey?: string | undefined;
  smtpUrl?: string | undefined;
  /** A mail address, or a name followed by `<address>`. */
  mailFrom?: string | undefined;
  resetPageUrl?: string | undefined;
  /**
   * Whether the console is served below the base path. Its pages then share the origin of your application, so a script
   * that is injected there acts as an administrator. `'separate'`: only by `Atrium.console`, at `consoleOrigin`.
   * Default: false.
   */
  console?: boolean | 'separate' | undefined;
  /** Serves the console on a port of its own instead. 0 selects a free port. */
  consolePort?: number | undefined;
  /** Where `consolePort` listens. Default: `127.0.0.1`. */
  consoleHost?: string | undefined;
  consoleOrigin?: string | undefined;
  /** Whether `/metrics` below the base path answers, without credentials. Default: false. */
  metrics?: boolean | undefined;
  /** `s3://bucket?endpoint=…&region=…`. Default: files in `dataDir`. */
  storageUrl?: string | undefined;
  /** Default: true. */
  rateLimit?: boolean | undefined;
  /** Seconds for which `stop` still serves requests while `/readyz` fails. Default: 0. */
  drainSeconds?: number | undefined;
  /** Number of trusted proxies in front of the server. Default: 0. */
  trustProxy?: number | undefined;
  /** Whether the live chat of legacy clients (XMPP) is served, over WebSocket at `/xmpp` below the base path. Default: false. */
  xmpp?: boolean | undefined;
  /** Domain of the addresses in the live chat. Default: the host of `publicUrl`. */
  chatDomain?: string | undefined;
  /** Serves the WebSocket of the live chat at the root of a port of its own, too. 0 selects a free port. */
  xmppWebsocketPort?: number | undefined;
  /** False behind a proxy that ends TLS. Default: true. */
  xmppWebsocketTls?: boolean | undefined;
  /** Serves the live chat over TCP with STARTTLS. 0 selects a free port. */
  xmppPort?: number | undefined;
  /** PEM file. Default: a self-signed certificate in `dataDir`. */
  xmppTlsCert?: string | undefined;
  xmppTlsKey?: string | undefined;
  /** Default: `warn`. */
  logLevel?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | undefined;
  /** Receives each line of the log, as JSON. Default: the standard output. */
  log?: { write: (line: string) => unknown } | undefined;
  /** Identifiers and secrets of the first application of an empty database. Default: random. */
  bootstrap?: Partial<AtriumCredentials> | undefined;
}

export interface AtriumCredentials {
  applicationId: number;
  authKey: string;
  authSecret: string;
  apiKey: string;
}

/** One service. A process runs one at a time. */
export interface Atrium extends Mounted {
  /** Serves the console at the root of a server or host of its own. @throws without the option `console: 'separate'` */
  readonly console: Mounted;
  /**
   * Opens and migrates the database, then serves. Requests until then get the status 503.
   * @returns the credentials of the first application if this call created it; they are also in
   *   `<dataDir>/credentials.json`; the address of the console, if it is on
   */
  start: () => Promise<Started>;
  /** Finishes requests in flight and closes sockets and the database. `start` may follow. */
  stop: () => Promise<void>;
}

export interface Started {
  credentials: AtriumCredentials | undefined;
  consoleUrl: string | undefined;
}

export interface Mounted {
  /**
   * Serves a request below the base path: REST, GraphQL and pages. Others go to `next`, or get the status 404. Fits
   * `createServer` of Node.js, and `app.use` of Express with or without the path. Mount it before parsers of bodies.
   */
  readonly handler: (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void;
  /**
   * Serves GraphQL over WebSocket; for the event `upgrade` of the server.
   * @returns false if the request is not below the base path and was not answered
   */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
}
