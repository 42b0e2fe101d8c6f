import { beforeEach, describe, expect, test } from 'vitest';
import { chainAuditLog } from '../../../src/administration/audit/append.ts';
import { restartAuditLog } from '../../../src/administration/audit/restart.ts';
import { trimAuditLog } from '../../../src/administration/audit/trim.ts';
import { verifyAuditLog } from '../../../src/administration/audit/verify.ts';
import { db } from '../../../src/db/client.ts';
import { Encrypter } from '../../../src/platform/encryption/encrypter.ts';
import { APPLICATION, ENCRYPTER, useApp } from '../../support/app/app.ts';
import { createUser } from '../../support/fixtures/users.ts';

useApp();

const applicationId = APPLICATION.id;
const OTHER = new Encrypter(Buffer.alloc(32, 8));
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
    const [report] = await verifyAuditLog(OTHER, applicationId);
    expect(report!.problem).toMatch(/ENCRYPTION_KEY is a different one$/);
  });
});

describe('a process with another ENCRYPTION_KEY', () => {
  beforeEach(() => chainAuditLog(ENCRYPTER));

  const message = /^the chain \d+ of the audit log is not continued, because its ends were changed or ENCRYPTION_KEY/;

  test('leaves new entries out of the chain until the right key is back', async () => {
    await createUser();
    await expect(chainAuditLog(OTHER)).rejects.toThrow(message);
    expect(await positions()).toEqual([1, 2, 3, 4, 5, null]);
    expect(await verify()).toEqual({ applicationId, from: 1, to: 6 });
  });

  test('does not remove old entries', async () => {
    await expect(trimAuditLog(new Date(Date.now() + 1_000), OTHER)).rejects.toThrow(message);
    expect(await verify()).toEqual({ applicationId, from: 1, to: 5 });
  });

  test('does not stop the chains of other applications', async () => {
    await db.auditEntry.updateMany({ where: { seq: 3 }, data: { seq: null, hash: null, applicationId: 0 } });
    await expect(chainAuditLog(OTHER)).resolves.toBeUndefined();
    const [entry] = await db.auditEntry.findMany({ where: { applicationId: 0 } });
    expect(entry).toMatchObject({ seq: 1 });
  });

  test('can restart the chain, which records that earlier entries are not verified', async () => {
    await createUser();
    expect(await restartAuditLog(OTHER)).toEqual([{ applicationId, until: 5 }]);
    expect(await verifyAuditLog(OTHER, applicationId)).toEqual([{ applicationId, from: 6, to: 7 }]);
    const entries = await db.auditEntry.findMany({ where: { applicationId, seq: { gt: 5 } }, orderBy: { seq: 'asc' } });
    expect(entries.map(({ subject, actorKind, after }) => [subject, actorKind, after]).at(-1)).toEqual([
      'AuditChain',
      'operator',
      { start_seq: 5 },
    ]);
    expect(await restartAuditLog(OTHER)).toEqual([]);
  });

  test('removes entries from before a restart with the retention', async () => {
    await restartAuditLog(OTHER);
    await db.auditEntry.updateMany({ where: { applicationId, seq: { lte: 2 } }, data: { at: new Date(0) } });
    await trimAuditLog(new Date(1_000), OTHER);
    await verifyAuditLog(OTHER);
    expect(await positions()).toEqual([3, 4, 5, 6]);
  });
});

test('entries are not chained after the ends of their chain were removed, until a restart', async () => {
  await chainAuditLog(ENCRYPTER);
  await db.auditChain.deleteMany();
  await createUser();
  await expect(chainAuditLog(ENCRYPTER)).rejects.toThrow('is not continued');
  expect((await verify()).problem).toBe('the ends of the chain were removed');
  await restartAuditLog(ENCRYPTER);
  expect(await verify()).toEqual({ applicationId, from: 6, to: 7 });
});

test('a restart does not hide a changed entry', async () => {
  await chainAuditLog(ENCRYPTER);
  await db.auditEntry.updateMany({ where: { applicationId, seq: 3 }, data: { actorId: 7 } });
  expect(await restartAuditLog(ENCRYPTER)).toEqual([]);
  expect((await verify()).problem).toMatch(/^entry 3 \(id \d+\) was changed$/);
});
