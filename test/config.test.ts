import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';

test('an empty environment gives the documented defaults', () => {
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 4000,
    publicUrl: undefined,
    dataDir: resolve('./data'),
    databaseUrl: undefined,
    tokenHeaders: ['SVC-Token'],
    sessionMinutes: 120,
    eventRetentionHours: 24,
    logLevel: 'info',
    bootstrap: { applicationId: 1, authKey: undefined, authSecret: undefined, apiKey: undefined },
  });
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '' })).toEqual(readConfig({}));
});

test('values are read into their units and forms', () => {
  expect(
    readConfig({
      PORT: '0',
      PUBLIC_URL: 'https://example.com/',
      TOKEN_HEADERS: 'SVC-Token, CB-Token',
      DATA_DIR: '/srv',
    }),
  ).toMatchObject({
    port: 0,
    publicUrl: 'https://example.com',
    tokenHeaders: ['SVC-Token', 'CB-Token'],
    dataDir: resolve('/srv'),
  });
});

test.each([
  ['PORT', 'http'],
  ['PORT', '70000'],
  ['PORT', '-1'],
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['PUBLIC_URL', 'example.com'],
  ['TOKEN_HEADERS', 'SVC-Token,no header'],
  ['SESSION_MINUTES', '0'],
  ['EVENT_RETENTION_HOURS', 'a day'],
  ['LOG_LEVEL', 'loud'],
  ['BOOTSTRAP_APPLICATION_ID', '-1'],
  ['BOOTSTRAP_APPLICATION_ID', '2147483648'],
])('%s=%s is refused by name, in one line', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name}: .+$`));
});
