import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';

test('an empty environment yields the documented defaults', () => {
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 4000,
    workers: 1,
    publicUrl: undefined,
    dataDir: resolve('./data'),
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
    databaseShards: [],
    tokenHeaders: ['SVC-Token'],
    sessionMinutes: 120,
    eventRetentionHours: 24,
    pushLogDays: 30,
    auditDays: 365,
    backupDays: 7,
    requestLogDays: 7,
    requestLogSlowMs: 1000,
    pushPrivateNetworks: false,
    encryptionKey: undefined,
    smtpUrl: undefined,
    mailFrom: { name: 'Atrium', address: 'no-reply@[127.0.0.1]' },
    resetPageUrl: undefined,
    isMetricsOn: true,
    issuerPrivateNetworks: false,
    isConsoleOn: true,
    consolePort: undefined,
    consoleOrigin: undefined,
    redisUrl: undefined,
    s3: undefined,
    rateLimit: true,
    trustProxy: 0,
    drainSeconds: 0,
    chatDomain: undefined,
    xmpp: { websocketPort: undefined, isWebsocketTls: true, tcpPort: undefined, certificate: undefined },
    logLevel: 'info',
    traces: false,
    bootstrap: { applicationId: 1, authKey: undefined, authSecret: undefined, apiKey: undefined },
  });
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '' })).toEqual(readConfig({}));
});

test('variables are parsed into their units and types', () => {
  expect(
    readConfig({
      PORT: '0',
      PUBLIC_URL: 'https://example.com/',
      TOKEN_HEADERS: 'SVC-Token, CB-Token',
      DATA_DIR: '/srv',
      STORAGE_URL: 's3://our-files?endpoint=https://store.example.com:9000&region=eu-west-1',
      REDIS_URL: 'rediss://cache.example.com:6380/1',
      RATE_LIMIT: 'off',
      TRUST_PROXY: '2',
      DRAIN_SECONDS: '10',
    }),
  ).toMatchObject({
    port: 0,
    publicUrl: 'https://example.com',
    tokenHeaders: ['SVC-Token', 'CB-Token'],
    dataDir: resolve('/srv'),
    redisUrl: 'rediss://cache.example.com:6380/1',
    s3: { bucket: 'our-files', endpoint: 'https://store.example.com:9000', region: 'eu-west-1' },
    rateLimit: false,
    trustProxy: 2,
    drainSeconds: 10,
  });
  expect(readConfig({ TRUST_PROXY: 'off' }).trustProxy).toBe(0);
  const key = Buffer.alloc(32, 5);
  for (const form of ['hex', 'base64', 'base64url'] as const) {
    expect(readConfig({ ENCRYPTION_KEY: key.toString(form) }).encryptionKey).toEqual(key);
  }
});

test('the settings of the live chat of legacy clients are parsed', () => {
  const tls = { XMPP_TLS_CERT: '/tls/cert.pem', XMPP_TLS_KEY: '/tls/key.pem' };
  const ports = { XMPP_WEBSOCKET_PORT: '5291', XMPP_WEBSOCKET_TLS: 'off', XMPP_PORT: '5222' };
  expect(readConfig({ CHAT_DOMAIN: 'Chat.example.org', ...ports, ...tls })).toMatchObject({
    chatDomain: 'chat.example.org',
    xmpp: {
      websocketPort: 5291,
      isWebsocketTls: false,
      tcpPort: 5222,
      certificate: { certFile: '/tls/cert.pem', keyFile: '/tls/key.pem' },
    },
  });
  expect(readConfig({ XMPP: 'off', PUBLIC_URL: 'https://muc.example.org' }).xmpp).toBeUndefined();
});

test.each([
  [{ PUBLIC_URL: 'https://muc.example.org' }, 'CHAT_DOMAIN'],
  [{ XMPP_TLS_CERT: 'cert.pem' }, 'XMPP_TLS_KEY'],
  [{ XMPP_TLS_KEY: 'key.pem' }, 'XMPP_TLS_CERT'],
  [{ PORT: '5222', XMPP_PORT: '5222' }, 'XMPP_PORT'],
  [{ XMPP_WEBSOCKET_PORT: '5222', XMPP_PORT: '5222' }, 'XMPP_PORT'],
  [{ CONSOLE_PORT: '4000' }, 'CONSOLE_PORT'],
])('the start fails with %j by a line that names %s', (variables, name) => {
  expect(() => readConfig(variables)).toThrow(new RegExp(`^${name}: [^\n]+$`));
});

test.each([
  [{ PUBLIC_URL: 'https://api.example.com:8443/x' }, 'Atrium', 'no-reply@api.example.com'],
  [{ PUBLIC_URL: 'http://[::1]:4000' }, 'Atrium', 'no-reply@[IPv6:::1]'],
  [{ HOST: 'chat.example.com' }, 'Atrium', 'no-reply@chat.example.com'],
  [{ HOST: '::' }, 'Atrium', 'no-reply@[IPv6:::]'],
  [{ MAIL_FROM: 'Our App <post@example.com>' }, 'Our App', 'post@example.com'],
  [{ MAIL_FROM: '"App, Inc." <post@example.com>' }, 'App, Inc.', 'post@example.com'],
  [{ MAIL_FROM: 'post@example.com' }, '', 'post@example.com'],
])('with %j the service sends mail as %s <%s>', (variables, name, address) => {
  expect(readConfig(variables).mailFrom).toEqual({ name, address });
});

test.each([
  ['PORT', 'http'],
  ['PORT', '70000'],
  ['PORT', '-1'],
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['DATABASE_URL', 'postgresql://a,b/x?target_session_attrs=standby'],
  ['PUBLIC_URL', 'example.com'],
  ['TOKEN_HEADERS', 'SVC-Token,no header'],
  ['PORT', '0x10'],
  ['PORT', '1e3'],
  ['TOKEN_HEADERS', 'Authorization'],
  ['SESSION_MINUTES', '0'],
  ['SESSION_MINUTES', '1e15'],
  ['EVENT_RETENTION_HOURS', '1000000000'],
  ['EVENT_RETENTION_HOURS', 'a day'],
  ['PUSH_LOG_DAYS', '0'],
  ['AUDIT_DAYS', '0'],
  ['BACKUP_DAYS', '0'],
  ['REQUEST_LOG_DAYS', '0'],
  ['REQUEST_LOG_SLOW_MS', '-1'],
  ['REQUEST_LOG_SLOW_MS', 'never'],
  ['PUSH_PRIVATE_NETWORKS', 'yes'],
  ['ISSUER_PRIVATE_NETWORKS', 'yes'],
  ['XMPP', 'yes'],
  ['CHAT_DOMAIN', 'chat.example.org:5222'],
  ['CHAT_DOMAIN', 'https://chat.example.org'],
  ['CHAT_DOMAIN', 'muc.example.org'],
  ['CHAT_DOMAIN', 'chat_1.example.org'],
  ['XMPP_WEBSOCKET_PORT', '70000'],
  ['XMPP_WEBSOCKET_TLS', 'yes'],
  ['XMPP_PORT', 'xmpp'],
  ['ENCRYPTION_KEY', 'secret'],
  ['SMTP_URL', 'mail.example.com'],
  ['SMTP_URL', 'http://mail.example.com'],
  ['MAIL_FROM', 'Atrium'],
  ['MAIL_FROM', 'A <a@x.io>, B <b@x.io>'],
  ['MAIL_FROM', 'A <a@x.io>\r\nBcc: b@x.io'],
  ['RESET_PAGE_URL', '/reset'],
  ['RESET_PAGE_URL', 'javascript:alert(1)'],
  ['REDIS_URL', 'http://localhost'],
  ['STORAGE_URL', 'https://bucket'],
  ['STORAGE_URL', 's3://'],
  ['STORAGE_URL', 's3://Bucket_'],
  ['STORAGE_URL', 's3://bucket/folder'],
  ['STORAGE_URL', 's3://key:secret@bucket'],
  ['STORAGE_URL', 's3://bucket?endpoint=store.example.com'],
  ['STORAGE_URL', 's3://bucket?prefix=x'],
  ['ENCRYPTION_KEY', 'short'],
  ['ENCRYPTION_KEY', `${'0'.repeat(63)}g`],
  ['ENCRYPTION_KEY', '0'.repeat(65)],
  ['RATE_LIMIT', 'none'],
  ['TRUST_PROXY', 'on'],
  ['TRUST_PROXY', '-1'],
  ['DATABASE_DIRECT_URL', 'localhost:5432'],
  ['DATABASE_SHARDS', 'localhost:5432'],
  ['DATABASE_SHARDS', 'postgresql://a/x '.repeat(16)],
  ['DRAIN_SECONDS', '-1'],
  ['DRAIN_SECONDS', '3601'],
  ['LOG_LEVEL', 'loud'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['BOOTSTRAP_APPLICATION_ID', '-1'],
  ['BOOTSTRAP_APPLICATION_ID', '2147483648'],
])('%s=%s is rejected with one line that names the variable', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name}: .+$`));
});

const COLLECTOR = 'http://127.0.0.1:4318';

test.each<[Record<string, string>, boolean]>([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${COLLECTOR}/v1/traces` }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_SDK_DISABLED: 'TRUE' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_SDK_DISABLED: 'false' }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ OTEL_SERVICE_NAME: 'shop', OTEL_TRACES_SAMPLER: 'always_on' }, false],
])('with %j traces are exported: %s', (variables, traces) => {
  expect(readConfig(variables).traces).toBe(traces);
});

test('further databases are read from one variable, and require the first one and Redis', () => {
  const DATABASE_SHARDS = ' postgresql://b/x  postgresql://c,d/x?target_session_attrs=read-write\n';
  const others = { DATABASE_URL: 'postgresql://a/x', REDIS_URL: 'redis://cache' };
  expect(readConfig({ DATABASE_SHARDS, ...others }).databaseShards).toEqual(DATABASE_SHARDS.trim().split(/\s+/));
  for (const name of ['DATABASE_URL', 'REDIS_URL']) {
    expect(() => readConfig({ DATABASE_SHARDS, ...others, [name]: '' })).toThrow(
      `${name}: is required with DATABASE_SHARDS`,
    );
  }
});
