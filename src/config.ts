import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { CHAT_DOMAIN_RULE, isChatDomain } from './lib/chat-domain.ts';
import { databaseServers } from './lib/database-urls.ts';
import { parseMailbox } from './lib/mail-address.ts';
import { withoutTrailingSlashes } from './lib/trailing-slashes.ts';
import { parseEncryptionKey } from './platform/encryption/keys.ts';

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .refine((number) => number >= min && number <= max, `must be between ${min} and ${max}`);

/** Longer periods could yield dates that cannot be represented. */
const TEN_YEARS_MINUTES = 5_256_000;
const TEN_YEARS_HOURS = 87_600;
const TEN_YEARS_DAYS = 3_650;

const HOUR_SECONDS = 3_600;
const MAX_SLOW_MS = 3_600_000;

const RESERVED_HEADERS = ['authorization', 'on-behalf-of', 'content-type'];

/** Numbers of files advance in steps of this size, so that they differ in all databases. */
export const MAX_DATABASES = 16;

const text = z.string().min(1);
const otlpProtocol = z.enum(['http/json', 'http/protobuf'], 'must be http/json or http/protobuf').optional();
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });
const onOrOff = z.enum(['on', 'off'], 'must be on or off');
const redisUrl = z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' });
const databaseUrl = text.refine(
  (url) => databaseServers(url) !== undefined,
  'must be a postgresql:// URL of one or more servers; target_session_attrs may be any, read-write or primary',
);

/** Documented in docs/reference/configuration.md. */
const environment = z.object({
  HOST: text.default('127.0.0.1'),
  PORT: whole(0, 65_535).default(4000),
  WORKERS: z.union([z.literal('auto'), whole(1, 100)], 'must be auto or a number from 1 to 100').default(1),
  PUBLIC_URL: httpUrl.optional(),
  DATA_DIR: text.default('./data'),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  DATABASE_SHARDS: text
    .transform((urls) => urls.trim().split(/\s+/))
    .pipe(z.array(databaseUrl).max(MAX_DATABASES - 1, `must name at most ${MAX_DATABASES - 1} databases`))
    .optional(),
  REDIS_URL: redisUrl.optional(),
  TOKEN_HEADERS: text
    .default('SVC-Token')
    .transform((names) => names.split(',').map((name) => name.trim()))
    .refine(
      (names) => names.every((name) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)),
      'must be a comma-separated list of header names',
    )
    .refine(
      (names) => !names.some((name) => RESERVED_HEADERS.includes(name.toLowerCase())),
      'must not name Authorization, On-Behalf-Of or Content-Type',
    ),
  SESSION_MINUTES: whole(1, TEN_YEARS_MINUTES).default(120),
  EVENT_RETENTION_HOURS: whole(1, TEN_YEARS_HOURS).default(24),
  PUSH_LOG_DAYS: whole(1, TEN_YEARS_DAYS).default(30),
  AUDIT_DAYS: whole(1, TEN_YEARS_DAYS).default(365),
  BACKUP_DAYS: whole(1, TEN_YEARS_DAYS).default(7),
  REQUEST_LOG_DAYS: whole(1, TEN_YEARS_DAYS).default(7),
  REQUEST_LOG_SLOW_MS: z
    .union([z.literal('off'), whole(0, MAX_SLOW_MS)], `must be off or a number from 0 to ${MAX_SLOW_MS}`)
    .default(1000),
  PUSH_PRIVATE_NETWORKS: onOrOff.default('off'),
  ISSUER_PRIVATE_NETWORKS: onOrOff.default('off'),
  ENCRYPTION_KEY: text
    .transform(parseEncryptionKey)
    .refine((key) => key !== undefined, 'must be 32 bytes, as 64 hex digits or in Base64')
    .optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
  MAIL_FROM: text
    .optional()
    .refine(
      (sender) => sender === undefined || parseMailbox(sender) !== undefined,
      'must be a mail address or a name followed by <address>',
    ),
  RESET_PAGE_URL: httpUrl.optional(),
  METRICS: onOrOff.default('on'),
  CONSOLE: onOrOff.default('on'),
  CONSOLE_PORT: whole(0, 65_535).optional(),
  CONSOLE_ORIGIN: httpUrl
    .refine((url) => new URL(url).href === `${new URL(url).origin}/`, 'must have no path')
    .transform((url) => new URL(url).origin)
    .optional(),
  STORAGE_URL: z
    .url({ protocol: /^s3$/, error: 'must be s3://bucket?endpoint=…&region=…' })
    .transform((url) => s3SettingsOf(new URL(url)))
    .refine((settings) => settings !== undefined, 'must be s3://bucket?endpoint=…&region=…')
    .optional(),
  RATE_LIMIT: onOrOff.default('on'),
  DRAIN_SECONDS: whole(0, HOUR_SECONDS).default(0),
  TRUST_PROXY: z.union([z.literal('off'), whole(0, 100)], 'must be off or a number from 0 to 100').default('off'),
  XMPP: onOrOff.default('on'),
  CHAT_DOMAIN: text
    .transform((name) => name.toLowerCase())
    .refine(isChatDomain, CHAT_DOMAIN_RULE)
    .optional(),
  XMPP_WEBSOCKET_PORT: whole(0, 65_535).optional(),
  XMPP_WEBSOCKET_TLS: onOrOff.default('on'),
  XMPP_PORT: whole(0, 65_535).optional(),
  XMPP_TLS_CERT: text.optional(),
  XMPP_TLS_KEY: text.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  // The SDK reads these itself. They are validated here because they decide whether to start it.
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: otlpProtocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: otlpProtocol,
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).default('otlp'),
  OTEL_SDK_DISABLED: text.optional(),
  BOOTSTRAP_APPLICATION_ID: whole(1, 2_147_483_647).default(1),
  BOOTSTRAP_AUTH_KEY: text.optional(),
  BOOTSTRAP_AUTH_SECRET: text.optional(),
  BOOTSTRAP_API_KEY: text.optional(),
});

/** The message is one line that names the variable. */
export class ConfigError extends Error {}

/** Names the variables that caused an error; with `syscalls`, only if one of these calls failed. */
export function naming(variables: string, syscalls?: string[]) {
  return (error: Error & { syscall?: string }): never => {
    if (syscalls && !syscalls.includes(error.syscall ?? '')) throw error;
    throw new ConfigError(`${variables}: ${error.message}`);
  };
}

/** No other module reads the environment. Empty variables count as unset. @throws {ConfigError} */
export function readConfig(variables: Variables = process.env) {
  const read = parsed(environment, variables);
  requireDistinctPorts(read);
  if (read.DATABASE_SHARDS) requireForShards(read);
  return {
    host: read.HOST,
    /** 0 selects a free port. */
    port: read.PORT,
    workers: read.WORKERS === 'auto' ? availableParallelism() : read.WORKERS,
    /** Without trailing slash; undefined: the host and port in use. */
    publicUrl: read.PUBLIC_URL && withoutTrailingSlashes(read.PUBLIC_URL),
    dataDir: resolve(read.DATA_DIR),
    /** Undefined: the embedded PostgreSQL in `dataDir`. */
    databaseUrl: read.DATABASE_URL,
    /** Bypasses a transaction-mode pooler. */
    databaseDirectUrl: read.DATABASE_DIRECT_URL,
    /** The further databases among which applications are divided. */
    databaseShards: read.DATABASE_SHARDS ?? [],
    redisUrl: read.REDIS_URL,
    /** The preferred name is first. */
    tokenHeaders: read.TOKEN_HEADERS,
    /** Lifetime after the latest request. */
    sessionMinutes: read.SESSION_MINUTES,
    eventRetentionHours: read.EVENT_RETENTION_HOURS,
    pushLogDays: read.PUSH_LOG_DAYS,
    auditDays: read.AUDIT_DAYS,
    /** For archives that the service stores. */
    backupDays: read.BACKUP_DAYS,
    requestLogDays: read.REQUEST_LOG_DAYS,
    /** Infinity: slow requests are not recorded. */
    requestLogSlowMs: Number(read.REQUEST_LOG_SLOW_MS) || Number.POSITIVE_INFINITY,
    /** Allows WebPush endpoints in private networks and without TLS. */
    pushPrivateNetworks: read.PUSH_PRIVATE_NETWORKS === 'on',
    /** Whether key sets of issuers may be at private addresses and plain http. */
    issuerPrivateNetworks: read.ISSUER_PRIVATE_NETWORKS === 'on',
    /** Undefined: the key file in `dataDir`. */
    encryptionKey: read.ENCRYPTION_KEY,
    smtpUrl: read.SMTP_URL,
    mailFrom: (read.MAIL_FROM && parseMailbox(read.MAIL_FROM)) || {
      name: 'Atrium',
      address: `no-reply@${publicHost(read.PUBLIC_URL, read.HOST)}`,
    },
    resetPageUrl: read.RESET_PAGE_URL,
    /** Whether `/metrics` answers. */
    isMetricsOn: read.METRICS === 'on',
    isConsoleOn: read.CONSOLE === 'on',
    /** Undefined: the console is served on `port`. 0 selects a free port. */
    consolePort: read.CONSOLE === 'on' ? read.CONSOLE_PORT : undefined,
    /** Undefined: that of `publicUrl`, or the host that the browser requested. */
    consoleOrigin: read.CONSOLE_ORIGIN,
    s3: read.STORAGE_URL,
    rateLimit: read.RATE_LIMIT === 'on',
    /** 0 ignores `X-Forwarded-For`. */
    trustProxy: read.TRUST_PROXY === 'off' ? 0 : read.TRUST_PROXY,
    /** How long the service accepts requests after a stop signal, while `/readyz` already fails. */
    drainSeconds: read.DRAIN_SECONDS,
    /** Undefined: the host of `publicUrl`. */
    chatDomain: read.CHAT_DOMAIN,
    /** Undefined: no chat for legacy clients. */
    xmpp: read.XMPP === 'on' ? xmppSettingsOf(read) : undefined,
    logLevel: read.LOG_LEVEL,
    traces: wantsTraces(read),
    bootstrap: {
      applicationId: read.BOOTSTRAP_APPLICATION_ID,
      authKey: read.BOOTSTRAP_AUTH_KEY,
      authSecret: read.BOOTSTRAP_AUTH_SECRET,
      apiKey: read.BOOTSTRAP_API_KEY,
    },
  };
}

export type Config = ReturnType<typeof readConfig>;
export type XmppConfig = ReturnType<typeof xmppSettingsOf>;
type Environment = z.infer<typeof environment>;
type Variables = Record<string, string | undefined>;

function parsed<Schema extends z.ZodObject>(schema: Schema, variables: Variables): z.infer<Schema> {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw new ConfigError(`${String(path[0])}: ${message}`);
}

function requireDistinctPorts(read: Environment): void {
  const names = ['PORT', 'CONSOLE_PORT', 'XMPP_WEBSOCKET_PORT', 'XMPP_PORT'] as const;
  for (const [index, name] of names.entries()) {
    const same = names.slice(0, index).find((other) => read[other] === read[name]);
    if (same && read[name]) throw new ConfigError(`${name}: must differ from ${same}`);
  }
}

function xmppSettingsOf(read: Environment) {
  const { XMPP_TLS_CERT: certFile, XMPP_TLS_KEY: keyFile } = read;
  if (certFile && !keyFile) throw new ConfigError('XMPP_TLS_KEY: is required with XMPP_TLS_CERT');
  if (keyFile && !certFile) throw new ConfigError('XMPP_TLS_CERT: is required with XMPP_TLS_KEY');
  const host = read.PUBLIC_URL && new URL(read.PUBLIC_URL).hostname;
  if (!read.CHAT_DOMAIN && host?.includes('muc'))
    throw new ConfigError(`CHAT_DOMAIN: ${CHAT_DOMAIN_RULE}, as the host of PUBLIC_URL does; set it, or XMPP=off`);
  return {
    /** A further port for WebSockets. 0 selects a free port. */
    websocketPort: read.XMPP_WEBSOCKET_PORT,
    /** False behind a proxy that ends TLS. */
    isWebsocketTls: read.XMPP_WEBSOCKET_TLS === 'on',
    /** For TCP with STARTTLS. 0 selects a free port. */
    tcpPort: read.XMPP_PORT,
    /** Paths of PEM files. Undefined: a self-signed certificate in `dataDir`. */
    certificate: certFile && keyFile ? { certFile: resolve(certFile), keyFile: resolve(keyFile) } : undefined,
  };
}

function requireForShards(read: Environment): void {
  for (const name of ['DATABASE_URL', 'REDIS_URL'] as const) {
    if (!read[name]) throw new ConfigError(`${name}: is required with DATABASE_SHARDS`);
  }
}

function wantsTraces(read: Environment): boolean {
  const endpoint = read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? read.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isDisabled = read.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || read.OTEL_TRACES_EXPORTER === 'none';
  return endpoint !== undefined && !isDisabled;
}

/** `s3://bucket?endpoint=https://…&region=…`; without credentials, so that it may be displayed. */
function s3SettingsOf({ host, username, password, pathname, hash, searchParams }: URL) {
  const { endpoint, region, ...others } = Object.fromEntries(searchParams);
  const isPlain = username + password + hash === '' && ['', '/'].includes(pathname) && Object.keys(others).length === 0;
  const isBucket = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(host);
  const isEndpoint = endpoint === undefined || z.url({ protocol: /^https?$/ }).safeParse(endpoint).success;
  const isRegion = region === undefined || /^[\w-]+$/.test(region);
  return isPlain && isBucket && isEndpoint && isRegion ? { bucket: host, endpoint, region } : undefined;
}

/** An IP address becomes an address literal in brackets. */
function publicHost(publicUrl: string | undefined, host: string): string {
  const name = publicUrl ? new URL(publicUrl).hostname.replace(/^\[|\]$/g, '') : host;
  if (isIP(name) === 0) return name;
  return isIP(name) === 6 ? `[IPv6:${name}]` : `[${name}]`;
}

/** Also for packages that read the environment themselves, and for workers, which inherit it. */
export function setVariables(variables: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value;
}

/** Express reads the variable when it is loaded. */
export function defaultToProduction(): void {
  process.env.NODE_ENV ??= 'production';
}

export function isNpmScript(name: string): boolean {
  return process.env.npm_lifecycle_event === name;
}

const source = z.object({
  SOURCE_API_KEY: text.optional(),
  SOURCE_APPLICATION_ID: whole(1, 2_147_483_647).optional(),
  SOURCE_AUTH_KEY: text.optional(),
  SOURCE_AUTH_SECRET: text.optional(),
  SOURCE_LOGIN: text.optional(),
  SOURCE_PASSWORD: text.optional(),
  SOURCE_SIGNATURE_HASH: text.optional(),
  SOURCE_TOKEN_HEADER: text.optional(),
});

export function readSourceVariables(variables: Variables = process.env) {
  const read = parsed(source, variables);
  return {
    apiKey: read.SOURCE_API_KEY,
    applicationId: read.SOURCE_APPLICATION_ID,
    authKey: read.SOURCE_AUTH_KEY,
    authSecret: read.SOURCE_AUTH_SECRET,
    login: read.SOURCE_LOGIN,
    password: read.SOURCE_PASSWORD,
    signatureHash: read.SOURCE_SIGNATURE_HASH,
    tokenHeader: read.SOURCE_TOKEN_HEADER,
  };
}
