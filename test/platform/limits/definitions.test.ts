import { expect, test } from 'vitest';
import type { Viewer } from '../../../src/lib/access.ts';
import { SessionMissingError } from '../../../src/lib/errors.ts';
import { LIMITS, rateHeaders, rateKey } from '../../../src/platform/limits/definitions.ts';

const session = {
  id: 5,
  generation: 0,
  token: 't',
  signedInAt: new Date(),
  confirmedAt: new Date(),
  expiresAt: new Date(),
};

test.each<[Viewer, string]>([
  [{ kind: 'anonymous' }, 'client:1.2.3.4'],
  [{ kind: 'refused', reason: new SessionMissingError() }, 'client:1.2.3.4'],
  [{ kind: 'application', applicationId: 92, catalogueVersion: 0, session }, 'client:1.2.3.4'],
  [{ kind: 'user', applicationId: 92, catalogueVersion: 0, userId: 7, session }, 'user:92:7'],
  [{ kind: 'user', applicationId: 92, catalogueVersion: 0, userId: 7, apiKeyId: 3 }, 'key:92:3'],
  [{ kind: 'key', applicationId: 92, catalogueVersion: 0, apiKeyId: 3 }, 'key:92:3'],
])('%o counts as %s, and by client at sign-in', (viewer, key) => {
  for (const limit of ['default', 'oldPassword', 'mail'] as const) expect(rateKey(limit, viewer, '1.2.3.4')).toBe(key);
  for (const limit of ['signIn', 'console'] as const) expect(rateKey(limit, viewer, '1.2.3.4')).toBe('client:1.2.3.4');
});

test('the default limits equal those of the contract, and those of passwords and mails are as strict', () => {
  const strict = { quota: 30, windowSeconds: 60 };
  expect(LIMITS).toEqual({
    default: { quota: 600, windowSeconds: 60 },
    signIn: strict,
    console: strict,
    oldPassword: strict,
    mail: strict,
    testMail: { quota: 30, windowSeconds: 86_400 },
    invitation: { quota: 30, windowSeconds: 86_400 },
    networkGuesses: { quota: 10, windowSeconds: 600 },
    accountGuesses: { quota: 100, windowSeconds: 3600 },
  });
});

test('the headers contain quota, window, remaining operations, reset and Retry-After', () => {
  const count = { quota: 600, windowSeconds: 60, remaining: 12, resetSeconds: 7, isExceeded: false };
  const notified = { 'RateLimit-Policy': '"default";q=600;w=60', RateLimit: '"default";r=12;t=7' };
  expect(rateHeaders(count)).toEqual(notified);
  expect(rateHeaders({ ...count, isExceeded: true })).toEqual({ ...notified, 'Retry-After': '7' });
  expect(rateHeaders(undefined)).toEqual({});
});
