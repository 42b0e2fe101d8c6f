import { resolve } from 'node:path';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65535);
const positive = z.coerce.number().int().min(1);
const text = z.string().min(1);

/** The environment as `running.md` documents it; an empty variable counts as unset. */
const environment = z.object({
  HOST: text.default('127.0.0.1'),
  PORT: port.default(4000),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  DATA_DIR: text.default('./data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  TOKEN_HEADERS: text
    .default('SVC-Token')
    .transform((names) => names.split(',').map((name) => name.trim()))
    .refine((names) => names.every((name) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)), 'should be header names'),
  SESSION_MINUTES: positive.default(120),
  EVENT_RETENTION_HOURS: positive.default(24),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  BOOTSTRAP_APPLICATION_ID: positive.max(2_147_483_647).default(1),
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
  /** Accepted token header names, the first one preferred. */
  tokenHeaders: string[];
  /** Lifetime of a session after its latest request. */
  sessionMinutes: number;
  /** How long a live event can be resumed from its cursor. */
  eventRetentionHours: number;
  logLevel: string;
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
    publicUrl: read.PUBLIC_URL?.replace(/\/+$/, ''),
    dataDir: resolve(read.DATA_DIR),
    databaseUrl: read.DATABASE_URL,
    tokenHeaders: read.TOKEN_HEADERS,
    sessionMinutes: read.SESSION_MINUTES,
    eventRetentionHours: read.EVENT_RETENTION_HOURS,
    logLevel: read.LOG_LEVEL,
    bootstrap: {
      applicationId: read.BOOTSTRAP_APPLICATION_ID,
      authKey: read.BOOTSTRAP_AUTH_KEY,
      authSecret: read.BOOTSTRAP_AUTH_SECRET,
      apiKey: read.BOOTSTRAP_API_KEY,
    },
  };
}
