import { type Config, ConfigError, readConfig } from '../config.ts';
import type { AtriumOptions } from './types.ts';

type SimpleOption = Exclude<keyof AtriumOptions, 'basePath' | 'bootstrap' | 'log'>;

/** The variable that describes and validates each option. */
const VARIABLES: Record<SimpleOption, string> = {
  publicUrl: 'PUBLIC_URL',
  dataDir: 'DATA_DIR',
  databaseUrl: 'DATABASE_URL',
  databaseDirectUrl: 'DATABASE_DIRECT_URL',
  databaseShards: 'DATABASE_SHARDS',
  redisUrl: 'REDIS_URL',
  tokenHeaders: 'TOKEN_HEADERS',
  sessionMinutes: 'SESSION_MINUTES',
  eventRetentionHours: 'EVENT_RETENTION_HOURS',
  pushLogDays: 'PUSH_LOG_DAYS',
  auditDays: 'AUDIT_DAYS',
  backupDays: 'BACKUP_DAYS',
  requestLogDays: 'REQUEST_LOG_DAYS',
  requestLogSlowMs: 'REQUEST_LOG_SLOW_MS',
  pushPrivateNetworks: 'PUSH_PRIVATE_NETWORKS',
  issuerPrivateNetworks: 'ISSUER_PRIVATE_NETWORKS',
  encryptionKey: 'ENCRYPTION_KEY',
  smtpUrl: 'SMTP_URL',
  mailFrom: 'MAIL_FROM',
  resetPageUrl: 'RESET_PAGE_URL',
  metrics: 'METRICS',
  console: 'CONSOLE',
  consolePort: 'CONSOLE_PORT',
  consoleHost: 'HOST',
  consoleOrigin: 'CONSOLE_ORIGIN',
  storageUrl: 'STORAGE_URL',
  rateLimit: 'RATE_LIMIT',
  drainSeconds: 'DRAIN_SECONDS',
  trustProxy: 'TRUST_PROXY',
  logLevel: 'LOG_LEVEL',
  xmpp: 'XMPP',
  chatDomain: 'CHAT_DOMAIN',
  xmppWebsocketPort: 'XMPP_WEBSOCKET_PORT',
  xmppWebsocketTls: 'XMPP_WEBSOCKET_TLS',
  xmppPort: 'XMPP_PORT',
  xmppTlsCert: 'XMPP_TLS_CERT',
  xmppTlsKey: 'XMPP_TLS_KEY',
};

const BOOTSTRAP_VARIABLES = {
  applicationId: 'BOOTSTRAP_APPLICATION_ID',
  authKey: 'BOOTSTRAP_AUTH_KEY',
  authSecret: 'BOOTSTRAP_AUTH_SECRET',
  apiKey: 'BOOTSTRAP_API_KEY',
} as const;

const SWITCHES = [
  'pushPrivateNetworks',
  'issuerPrivateNetworks',
  'console',
  'metrics',
  'rateLimit',
  'xmpp',
  'xmppWebsocketTls',
];
const OTHERS = ['basePath', 'bootstrap', 'log'];
/** The metrics and the chat would otherwise appear on the origin of the application. `PORT` is not used. */
const DEFAULTS = { LOG_LEVEL: 'warn', METRICS: 'off', XMPP: 'off', PORT: '0' };

/** Does not read the environment. @throws {ConfigError} that names the option */
export function readOptions(options: AtriumOptions): Config {
  if (options.publicUrl === undefined) throw new ConfigError('publicUrl: is required');
  const isSeparate = options.console === 'separate';
  const console = isSeparate || (options.console ?? options.consolePort !== undefined);
  const named = {
    ...variablesOf({ ...options, console }, VARIABLES, OTHERS),
    ...variablesOf(options.bootstrap, BOOTSTRAP_VARIABLES),
  };
  try {
    const config = readConfig({ ...DEFAULTS, ...named });
    if (isSeparate) requireOwnOrigin(config);
    return config;
  } catch (error) {
    throw namingOptions(error);
  }
}

function requireOwnOrigin({ publicUrl, consoleOrigin, consolePort }: Config): void {
  if (consolePort !== undefined) throw new ConfigError("consolePort: must not be set with console: 'separate'");
  if (consoleOrigin === undefined) throw new ConfigError("consoleOrigin: is required with console: 'separate'");
  if (consoleOrigin === new URL(publicUrl!).origin) {
    throw new ConfigError("consoleOrigin: must differ from the origin of publicUrl with console: 'separate'");
  }
}

/** Replaces the names of variables at the beginning of a message with those of the options. */
export function namingOptions(error: unknown): unknown {
  if (!(error instanceof ConfigError)) return error;
  const options = new Map(
    Object.entries({ ...VARIABLES, ...BOOTSTRAP_VARIABLES }).map(([option, variable]) => [variable, option]),
  );
  const message = error.message.replace(/^[A-Z_]+(?:, [A-Z_]+)*(?=:)/, (names) =>
    names
      .split(', ')
      .map((name) => options.get(name) ?? name)
      .join(', '),
  );
  return new ConfigError(message, { cause: error });
}

function variablesOf(
  options: object | undefined,
  variables: Record<string, string>,
  others: readonly string[] = [],
): Record<string, string> {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
  const read: Record<string, string> = {};
  for (const [name, value] of given) {
    if (others.includes(name)) continue;
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (variable === undefined) throw new ConfigError(`${name}: is not an option`);
    read[variable] = textOf(name, value);
  }
  return read;
}

function textOf(name: string, value: unknown): string {
  if (SWITCHES.includes(name)) {
    const values = name === 'console' ? "true, false or 'separate'" : 'true or false';
    if (typeof value !== 'boolean') throw new ConfigError(`${name}: must be ${values}`);
    return value ? 'on' : 'off';
  }
  if (Array.isArray(value)) return value.join(',');
  // Empty variables count as unset, but an empty option is a mistake.
  if (value === '' || value === null) throw new ConfigError(`${name}: must not be empty`);
  return String(value);
}
