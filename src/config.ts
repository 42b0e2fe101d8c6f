import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type Mailbox, parseMailbox } from './lib/mail-address.ts';
import { withoutTrailingSlashes } from './lib/trailing-slashes.ts';
import { parseEncryptionKey } from './server/encryption/keys.ts';

/** A whole number in decimal digits. */
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, 'should be a whole number')
    .transform(Number)
    .refine((number) => number >= min && number <= max, `should be between ${min} and ${max}`);

/** Longest time that may be asked for: beyond it a date could not be told. */
const TEN_YEARS_MINUTES = 5_256_000;
const TEN_YEARS_HOURS = 87_600;
const TEN_YEARS_DAYS = 3_650;

const HOUR_SECONDS = 3_600;

/** Headers that have a meaning of their own. */
const TAKEN_HEADERS = ['authorization', 'on-behalf-of', 'content-type'];

const text = z.string().min(1);
const otlpProtocol = z.enum(['http/json', 'http/protobuf'], 'should be http/json').optional();
const redisUrl = z.url({ protocol: /^rediss?$/ });
const databaseUrl = z.url({ protocol: /^postgres(ql)?$/ });

/** The environment as the README documents it; an empty variable counts as unset. */
const environment = z.object({
  HOST: text.default('127.0.0.1'),
  PORT: whole(0, 65_535).default(4000),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  DATA_DIR: text.default('./data'),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  REDIS_URL: redisUrl.optional(),
  TOKEN_HEADERS: text
    .default('SVC-Token')
    .transform((names) => names.split(',').map((name) => name.trim()))
    .refine((names) => names.every((name) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)), 'should be header names')
    .refine(
      (names) => !names.some((name) => TAKEN_HEADERS.includes(name.toLowerCase())),
      'has a name with another meaning',
    ),
  SESSION_MINUTES: whole(1, TEN_YEARS_MINUTES).default(120),
  EVENT_RETENTION_HOURS: whole(1, TEN_YEARS_HOURS).default(24),
  PUSH_LOG_DAYS: whole(1, TEN_YEARS_DAYS).default(30),
  PUSH_PRIVATE_NETWORKS: z.enum(['on', 'off']).default('off'),
  ENCRYPTION_KEY: text
    .transform(parseEncryptionKey)
    .refine((key) => key !== undefined, 'should be 32 bytes as 64 hex digits or in Base64')
    .optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MAIL_FROM: text
    .optional()
    .refine(
      (sender) => sender === undefined || parseMailbox(sender) !== undefined,
      'should be a name and an <address>',
    ),
  RESET_PAGE_URL: z.url({ protocol: /^https?$/ }).optional(),
  STORAGE_URL: z
    .url({ protocol: /^s3$/ })
    .transform((url) => s3SettingsOf(new URL(url)))
    .refine((settings) => settings !== undefined, 'should be s3://bucket?endpoint=…&region=…')
    .optional(),
  RATE_LIMIT: z.enum(['on', 'off']).default('on'),
  DRAIN_SECONDS: whole(0, HOUR_SECONDS).default(0),
  TRUST_PROXY: z.union([z.literal('off'), whole(0, 100)], 'should be off or a number').default('off'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  // The SDK reads these and their likes itself; here it is only asked whether there is anything to do.
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: otlpProtocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: otlpProtocol,
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).default('otlp'),
  OTEL_SDK_DISABLED: text.optional(),
  BOOTSTRAP_APPLICATION_ID: whole(1, 2_147_483_647).default(1),
  BOOTSTRAP_AUTH_KEY: text.optional(),
  BOOTSTRAP_AUTH_SECRET: text.optional(),
  BOOTSTRAP_API_KEY: text.optional(),
});

export interface Config {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Base of the links the service hands out, without trailing slash; undefined means host and port in use. */
  publicUrl: string | undefined;
  /** Absolute path. */
  dataDir: string;
  /** Undefined means the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined;
  /** The same database past a pooler that shares connections between transactions; undefined means there is none. */
  databaseDirectUrl: string | undefined;
  /** Where processes tell each other of events and count their rate limits together; undefined means in PostgreSQL. */
  redisUrl: string | undefined;
  /** Accepted token header names, the first one preferred. */
  tokenHeaders: string[];
  /** Lifetime of a session after its latest request. */
  sessionMinutes: number;
  /** How long a live event can be resumed from its cursor. */
  eventRetentionHours: number;
  /** How long it is kept what became of pushes. */
  pushLogDays: number;
  /** Whether browsers' endpoints may lie in private networks, and be reached without TLS. */
  pushPrivateNetworks: boolean;
  /** Seals the secrets of applications; undefined means a key file in `dataDir`. */
  encryptionKey: Buffer | undefined;
  /** Undefined means that mails are written to `dataDir`. */
  smtpUrl: string | undefined;
  /** Who our mails come from. */
  mailFrom: Mailbox;
  /** Where a reset link leads; undefined means the service's own page. */
  resetPageUrl: string | undefined;
  /** Where files lie; undefined means in `dataDir`. */
  s3: S3Settings | undefined;
  /** Whether requests and sockets are limited. */
  rateLimit: boolean;
  /** Number of proxies before the service. */
  trustProxy: number;
  /** How long it goes on serving once it is asked to stop and no longer says that it is ready. */
  drainSeconds: number;
  logLevel: string;
  /** Whether traces are collected; where they go, and which, the SDK reads itself. */
  traces: boolean;
  bootstrap: {
    applicationId: number;
    authKey: string | undefined;
    authSecret: string | undefined;
    apiKey: string | undefined;
  };
}

/** A variable that can't be used; the message is one line that names it. */
export class ConfigError extends Error {}

/** Reads and checks the configuration; the only reader of the environment. */
export function readConfig(variables: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const result = environment.safeParse(given);
  if (!result.success) {
    const { path, message } = result.error.issues[0]!;
    throw new ConfigError(`${path.join('.')}: ${message}`);
  }
  const read = result.data;
  return {
    host: read.HOST,
    port: read.PORT,
    publicUrl: read.PUBLIC_URL && withoutTrailingSlashes(read.PUBLIC_URL),
    dataDir: resolve(read.DATA_DIR),
    databaseUrl: read.DATABASE_URL,
    databaseDirectUrl: read.DATABASE_DIRECT_URL,
    redisUrl: read.REDIS_URL,
    tokenHeaders: read.TOKEN_HEADERS,
    sessionMinutes: read.SESSION_MINUTES,
    eventRetentionHours: read.EVENT_RETENTION_HOURS,
    pushLogDays: read.PUSH_LOG_DAYS,
    pushPrivateNetworks: read.PUSH_PRIVATE_NETWORKS === 'on',
    encryptionKey: read.ENCRYPTION_KEY,
    smtpUrl: read.SMTP_URL,
    mailFrom: (read.MAIL_FROM && parseMailbox(read.MAIL_FROM)) || {
      name: 'Atrium',
      address: `no-reply@${publicHost(read.PUBLIC_URL, read.HOST)}`,
    },
    resetPageUrl: read.RESET_PAGE_URL,
    s3: read.STORAGE_URL,
    rateLimit: read.RATE_LIMIT === 'on',
    trustProxy: read.TRUST_PROXY === 'off' ? 0 : read.TRUST_PROXY,
    drainSeconds: read.DRAIN_SECONDS,
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

function wantsTraces(read: z.infer<typeof environment>): boolean {
  const endpoint = read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? read.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isDisabled = read.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || read.OTEL_TRACES_EXPORTER === 'none';
  return endpoint !== undefined && !isDisabled;
}

export interface S3Settings {
  bucket: string;
  endpoint: string | undefined;
  region: string | undefined;
}

/** `s3://bucket?endpoint=https://…&region=…`; credentials are no part of it, so that it may be shown. */
function s3SettingsOf({ host, username, password, pathname, hash, searchParams }: URL): S3Settings | undefined {
  const { endpoint, region, ...others } = Object.fromEntries(searchParams);
  const isPlain = username + password + hash === '' && ['', '/'].includes(pathname) && Object.keys(others).length === 0;
  const isBucket = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(host);
  const isEndpoint = endpoint === undefined || z.url({ protocol: /^https?$/ }).safeParse(endpoint).success;
  const isRegion = region === undefined || /^[\w-]+$/.test(region);
  return isPlain && isBucket && isEndpoint && isRegion ? { bucket: host, endpoint, region } : undefined;
}

/** The domain of our own address: an IP address in brackets, as mail addresses have it. */
function publicHost(publicUrl: string | undefined, host: string): string {
  const name = publicUrl ? new URL(publicUrl).hostname.replace(/^\[|\]$/g, '') : host;
  if (isIP(name) === 0) return name;
  return isIP(name) === 6 ? `[IPv6:${name}]` : `[${name}]`;
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

/** What another server knows us by, from which the shell migrates an application; the service itself has no use for it. */
export function readSourceVariables(variables: Record<string, string | undefined> = process.env) {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const result = source.safeParse(given);
  if (!result.success) {
    const { path, message } = result.error.issues[0]!;
    throw new ConfigError(`${path.join('.')}: ${message}`);
  }
  const read = result.data;
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
