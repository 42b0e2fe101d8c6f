import { beforeEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { chainAuditLog } from '../../../src/resolvers/audit/append.ts';
import { trimAuditLog } from '../../../src/resolvers/audit/trim.ts';
import { verifyAuditLog } from '../../../src/resolvers/audit/verify.ts';
import { Encrypter } from '../../../src/server/encryption/encrypter.ts';
import { APPLICATION, ENCRYPTER, useApp } from '../../support/app/app.ts';
import { createUser } from '../../support/fixtures/users.ts';

useApp();

const applicationId = APPLICATION.id;
const verify = async () => (await verifyAuditLog(ENCRYPTER, applicationId))[0]!;
const positions = async () =>
  (await db.auditEntry.findMany({ where: { applicationId }, orderBy: { id: 'asc' }, select: { seq: true } })).map(
    ({ seq }) => seq,
  );

beforeEach(async () => {
  await db.auditEntry.deleteMany();
  await db.auditChain.deleteMany();
  for (let count = 0; count < 5; count++) await createUser({ full_name: `User ${count}` });
});

test('chaining numbers entries without gaps, and continues the chain later', async () => {
  expect(await positions()).toEqual([null, null, null, null, null]);
  await chainAuditLog(ENCRYPTER);
  expect(await positions()).toEqual([1, 2, 3, 4, 5]);
  await createUser();
  expect(await verify()).toEqual({ applicationId, from: 1, to: 6 });
});

test('processes that chain entries at the same time produce one chain', async () => {
  await Promise.all([1, 2, 3, 4].map(() => chainAuditLog(ENCRYPTER)));
  expect(await positions()).toEqual([1, 2, 3, 4, 5]);
  expect(await verify()).toEqual({ applicationId, from: 1, to: 5 });
});

test('the retention removes the oldest entries, and the rest remains intact', async () => {
  await chainAuditLog(ENCRYPTER);
  const old = { applicationId, seq: { lte: 2 } };
  const day = 86_400_000;
  await db.auditEntry.updateMany({ where: old, data: { at: new Date(Date.now() - 400 * day) } });
  await trimAuditLog(new Date(Date.now() - 365 * day), ENCRYPTER);
  expect(await positions()).toEqual([3, 4, 5]);
  expect(await verify()).toEqual({ applicationId, from: 3, to: 5 });
  await trimAuditLog(new Date(Date.now() + day), ENCRYPTER);
  expect(await verify()).toEqual({ applicationId, from: 0, to: 5 });
  await createUser();
  expect(await verify()).toEqual({ applicationId, from: 6, to: 6 });
});

test('an entry that is not yet chained is never removed', async () => {
  await db.auditEntry.updateMany({ data: { at: new Date(0) } });
  await trimAuditLog(new Date(), ENCRYPTER);
  expect(await positions()).toHaveLength(5);
});

describe('verification reports', () => {
  beforeEach(() => chainAuditLog(ENCRYPTER));

  const third = { applicationId, seq: 3 };

  test.each<[field: string, data: object]>([
    ['the time', { at: new Date(0) }],
    ['the actor', { actorKind: 'operator' }],
    ['the id of the actor', { actorId: 7 }],
    ['the address', { network: '10.0.0.1' }],
    ['the reason', { reason: 'none' }],
    ['the action', { action: 'update' }],
    ['the type of the object', { subject: 'Dialog' }],
    ['the id of the object', { subjectId: '1' }],
    ['the values before', { before: {} }],
    ['the values after', { after: { full_name: 'Someone else' } }],
    ['the hash', { hash: new Uint8Array(32) }],
  ])('an entry of which %s was changed', async (_field, data) => {
    await db.auditEntry.updateMany({ where: third, data });
    expect((await verify()).problem).toMatch(/^entry 3 \(id \d+\) was changed$/);
  });

  test.each([
    ['in the middle', 3, 'entry 3 was removed'],
    ['at the start', 1, 'entry 1 was removed'],
    ['at the end', 5, 'entries 5 to 5 were removed'],
  ])('an entry %s that was removed', async (_where, seq, problem) => {
    await db.auditEntry.deleteMany({ where: { applicationId, seq } });
    expect((await verify()).problem).toBe(problem);
  });

  test('two entries that were swapped', async () => {
    const swap = (from: number, to: number) =>
      db.auditEntry.updateMany({ where: { applicationId, seq: from }, data: { seq: to } });
    await swap(2, 100);
    await swap(3, 2);
    await swap(100, 3);
    expect((await verify()).problem).toMatch(/^entry 2 /);
  });

  test.each<[what: string, data: object]>([
    ['a later start, as if the retention had removed entries', { startSeq: 2 }],
    ['an earlier end', { endSeq: 4 }],
    ['no end', { endSeq: 0, endHash: new Uint8Array(0) }],
  ])('ends of the chain that were changed to %s', async (_what, data) => {
    await db.auditEntry.deleteMany({ where: { applicationId, seq: { in: [1, 2, 5] } } });
    await db.auditChain.update({ where: { applicationId }, data });
    expect((await verify()).problem).toMatch(/^the ends of the chain were changed/);
  });

  test('ends of the chain that were removed', async () => {
    await db.auditChain.deleteMany();
    expect((await verify()).problem).toBe('the ends of the chain were removed');
  });

  test('a chain that another key has signed', async () => {
    const [report] = await verifyAuditLog(new Encrypter(Buffer.alloc(32, 8)), applicationId);
    expect(report!.problem).toMatch(/ENCRYPTION_KEY is another one$/);
  });
});
