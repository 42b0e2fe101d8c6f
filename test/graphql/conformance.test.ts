import { serverAudits } from 'graphql-http';
import { describe, expect, test } from 'vitest';
import { running, useApp } from '../support/app/app.ts';

useApp();

// The audits send `{ __typename }` without credentials.

const audits = serverAudits({ url: () => `${running.url}/graphql` });

describe('GraphQL over HTTP', () => {
  test('the conformance suite has audits of every level', () => {
    const levels = new Set(audits.map(({ name }) => name.split(' ')[0]));
    expect([...levels].sort()).toEqual(['MAY', 'MUST', 'SHOULD']);
    expect(audits.length).toBeGreaterThan(60);
  });

  test.each(audits)('GraphQL over HTTP passes the audit $name ($id)', async ({ fn }) => {
    const result = await fn();
    expect('reason' in result ? result.reason : result.status).toBe('ok');
  });
});
