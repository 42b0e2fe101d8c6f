import { describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../../src/administration/audit/verify.ts';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, ENCRYPTER, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { errorIn, signedInAdministrator, withReason } from '../../support/fixtures/administrators.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';
import { rootFields } from '../../support/operations/root-fields.ts';

useApp();

const applicationId = APPLICATION.id;
const LIST = '{ auditEntries(first: 100) { edges { node { actorId reason subject after } } } }';

describe('#58 tampering with the audit log', () => {
  const problem = async () => (await verifyAuditLog(ENCRYPTER, applicationId))[0]!.problem;

  test('changes in the database are detected even if the attacker also changes the ends of the chain', async () => {
    for (let count = 0; count < 4; count++) await createUser();
    expect(await problem()).toBeUndefined();
    const entries = await db.auditEntry.findMany({ where: { applicationId }, orderBy: { seq: 'asc' } });
    const chain = await db.auditChain.findUniqueOrThrow({ where: { applicationId } });
    const restore = async () => {
      await db.auditEntry.deleteMany({ where: { applicationId } });
      await db.auditEntry.createMany({
        data: entries.map(({ before, after, ...entry }) => ({
          ...entry,
          before: before ?? undefined,
          after: after ?? undefined,
        })),
      });
      const { applicationId: _same, ...ends } = chain;
      await db.auditChain.update({ where: { applicationId }, data: ends });
    };
    await restore();
    expect(await problem()).toBeUndefined();

    await db.auditEntry.updateMany({ where: { applicationId, seq: 2 }, data: { actorId: 77_777 } });
    expect(await problem()).toMatch(/^entry 2 .* was changed$/);
    await restore();

    // A removed end, with ends that fit the rest.
    const last = entries.at(-1)!;
    const previous = entries.at(-2)!;
    await db.auditEntry.deleteMany({ where: { applicationId, seq: last.seq } });
    await db.auditChain.update({ where: { applicationId }, data: { endSeq: previous.seq!, endHash: previous.hash! } });
    expect(await problem()).toMatch(/^the ends of the chain were changed/);
    await restore();

    // A removed start, as by the retention.
    const first = entries[0]!;
    await db.auditEntry.deleteMany({ where: { applicationId, seq: first.seq } });
    await db.auditChain.update({ where: { applicationId }, data: { startSeq: first.seq!, startHash: first.hash! } });
    expect(await problem()).toMatch(/^the ends of the chain were changed/);
    await restore();

    // A removed entry whose place the next ones take.
    await db.auditEntry.deleteMany({ where: { applicationId, seq: 2 } });
    await db.auditEntry.updateMany({ where: { applicationId, seq: 3 }, data: { seq: 2 } });
    expect(await problem()).toMatch(/^entry 2 .* was changed$/);
    await restore();
    expect(await problem()).toBeUndefined();
  });

  test('no mutation names entries, and only owners can read them', async () => {
    const names = rootFields().filter(({ name }) => /audit/i.test(name));
    expect(names.map(({ path }) => path)).toEqual(['Query.auditEntries']);
    for (const role of ['developer', 'support', 'viewer'] as const) {
      expect(errorIn(await graphql(LIST, {}, withReason(await signedInAdministrator(role))))).toMatchObject({
        code: 'FORBIDDEN',
      });
    }
    for (const as of [apiKey, await createUser()]) expect((await graphql(LIST, {}, as)).data).toBeFalsy();
  });

  test('a reason or a name cannot forge another actor or entry', async () => {
    const administrator = await signedInAdministrator('owner');
    const forged = '","id":1,"kind":"operator","network":"10.0.0.1';
    const user = await createUser({ full_name: `'); DELETE FROM audit_entries; --` });
    const as = withReason(administrator, encodeURIComponent(`x${forged}\u0001`));
    await execute('mutation ($id: Int!) { blockUser(userId: $id) { id } }', { id: user.id }, as);
    const [entry] = await db.auditEntry.findMany({
      where: { applicationId, subject: 'User', subjectId: String(user.id), action: 'update' },
    });
    expect(entry).toMatchObject({ actorKind: 'administrator', actorId: administrator.id, network: '127.0.0.1' });
    expect(entry!.reason).toContain('10.0.0.1');
  });

  test('secrets, passwords and texts of messages are in no entry', async () => {
    const administrator = await signedInAdministrator('owner');
    await execute('mutation { createApiKey(name: "k") { key } }', {}, administrator);
    const create = 'mutation { createUser(input: { login: "secretive", password: "PLAIN-PASSWORD-58" }) { id } }';
    await execute(create, {}, administrator);
    await execute('mutation { rotateApplicationSecret }', {}, administrator);
    const text = JSON.stringify(
      await db.auditEntry.findMany({ where: { applicationId }, select: { before: true, after: true } }),
    );
    const { authSecret } = await db.application.findUniqueOrThrow({ where: { id: applicationId } });
    const hashes = await db.user.findMany({ select: { passwordHash: true } });
    const keys = await db.apiKey.findMany({ select: { keyHash: true } });
    const secrets = [
      authSecret,
      APPLICATION.authSecret,
      'PLAIN-PASSWORD-58',
      ...hashes.map(({ passwordHash }) => passwordHash!),
      ...keys.map(({ keyHash }) => keyHash),
    ];
    for (const secret of secrets) expect(text).not.toContain(JSON.stringify(secret));
    expect(text).toContain('redacted');
  });
});
