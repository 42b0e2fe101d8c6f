import { beforeAll, describe, expect, test } from 'vitest';
import { currentCatalogue, reloadCatalogue } from '../../../src/resolvers/classes/catalogue.ts';
import { requireReadableDialog } from '../../../src/resolvers/dialogs/access.ts';
import { findKeyByHash, findSessionByToken, isKeyLiving } from '../../../src/resolvers/sessions/credential-rows.ts';
import { userById } from '../../../src/resolvers/users/rows.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { createTenant, type Tenant } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { rest } from '../../support/clients/rest.ts';
import { createDialog, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const CLASS = { name: 'notes', fields: { note: 'String' }, permissions: { read: { access: 'open' } } };

let alice: QuickUser;
let mallory: QuickUser;
let dialogId: string;
let other: Tenant;
let otherDialogId: string;
beforeAll(async () => {
  [alice, mallory] = (await quickUsers(2)) as [QuickUser, QuickUser];
  dialogId = await createDialog(alice, [mallory]);
  other = await createTenant(2);
  otherDialogId = await createDialog(other.users[0]!, [other.users[1]!]);
  for (const as of [apiKey, other.key]) expect((await rest('POST', '/class', { as, json: CLASS })).status).toBe(201);
  await sql(`
    CREATE FUNCTION fail_on_poison() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      content text := CASE TG_TABLE_NAME WHEN 'messages' THEN to_jsonb(NEW) ->> 'text'
        ELSE to_jsonb(NEW) -> 'fields' ->> 'note' END;
    BEGIN
      IF content LIKE 'poison %' THEN RAISE EXCEPTION '%', content USING ERRCODE = split_part(content, ' ', 2); END IF;
      RETURN NEW;
    END $$`);
  for (const table of ['messages', 'records']) {
    await sql(`CREATE TRIGGER poison BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION fail_on_poison()`);
  }
});

/** Several, because sharing a statement depends on timing. */
const ROUNDS = 3;

/** SQLSTATEs of each kind: data, constraint, state, rights, conflict, limits, cancellation, own, bug. */
const STATES = ['22003', '22021', '22P05', '23505', '23514', '25006', '40001', '40P01', '42501', '54000', '55P03'];
STATES.push('57014', 'P0001', 'XX000');

const POISONED = new Map([
  ['25006', 503],
  ['40001', 503],
  ['40P01', 503],
  ['55P03', 503],
  ['57014', 503],
]);

describe('#50 poison in coalesced statements', () => {
  const send = (as: QuickUser | Tenant['users'][0], chatDialogId: string, message: string) =>
    rest('POST', '/chat/Message', { as, json: { chat_dialog_id: chatDialogId, message } });
  const create = (as: QuickUser | Tenant['users'][0], note: string) =>
    rest('POST', '/data/notes', { as, json: { note } });
  const others = () => other.users[0]!;

  // 55P03 is a lock timeout, which locks.test.ts covers for messages.
  const ofMessages = STATES.filter((state) => state !== '55P03');
  test.each(ofMessages)(
    'a message that fails with %s does not affect others in the same statement, across applications',
    async (state) => {
      for (let round = 0; round < ROUNDS; round++) {
        const poison = send(mallory, dialogId, `poison ${state}`);
        const innocent = Array.from({ length: 8 }, (_, nth) =>
          nth % 2 === 0 ? send(alice, dialogId, `m${nth}`) : send(others(), otherDialogId, `m${nth}`),
        );
        expect((await Promise.all(innocent)).map(({ status }) => status)).toEqual(Array(8).fill(201));
        expect((await poison).status).toBe(POISONED.get(state) ?? 500);
      }
      const [{ count }] = (await sql(`SELECT count(*)::int AS count FROM messages WHERE text LIKE 'poison %'`)) as [
        { count: number },
      ];
      expect(count).toBe(0);
    },
  );

  test.each(STATES)(
    'a record that fails with %s does not affect others in the same statement, across applications',
    async (state) => {
      for (let round = 0; round < ROUNDS; round++) {
        const poison = create(mallory, `poison ${state}`);
        const innocent = Array.from({ length: 8 }, (_, nth) => create(nth % 2 === 0 ? alice : others(), `r${nth}`));
        expect((await Promise.all(innocent)).map(({ status }) => status)).toEqual(Array(8).fill(201));
        const { status } = await poison;
        // A deadlock is retried up to ten times.
        expect(status, state).toBeGreaterThanOrEqual(500);
      }
    },
  );

  const TOO_LARGE = 2 ** 31;
  const readers: [string, poison: () => Promise<unknown>, innocent: () => Promise<unknown>][] = [
    [
      'users',
      () => userById({ applicationId: APPLICATION.id, id: TOO_LARGE }),
      () => userById({ applicationId: APPLICATION.id, id: alice.id }),
    ],
    ['sessions', () => findSessionByToken(`${TOO_LARGE}_x`), () => findSessionByToken(`${APPLICATION.id}_x`)],
    ['API keys', () => findKeyByHash('\0'), () => findKeyByHash('unknown')],
    [
      'active API keys',
      () => isKeyLiving({ applicationId: TOO_LARGE, apiKeyId: 1, userId: undefined, generation: 0 }),
      () => isKeyLiving({ applicationId: APPLICATION.id, apiKeyId: 1, userId: alice.id, generation: 0 }),
    ],
    ['class versions', () => currentCatalogue(TOO_LARGE), () => currentCatalogue(APPLICATION.id)],
    ['classes', () => reloadCatalogue(TOO_LARGE), () => reloadCatalogue(APPLICATION.id)],
    [
      'dialogs',
      () => requireReadableDialog('\0'.padStart(24, '0'), { ...viewer(), userId: TOO_LARGE }),
      () => requireReadableDialog(dialogId, viewer()),
    ],
  ];
  const viewer = () => ({
    kind: 'user' as const,
    applicationId: APPLICATION.id,
    catalogueVersion: 0,
    userId: alice.id,
  });

  test.each(readers)(
    'reading %s with an invalid key does not affect others in the same statement',
    async (_what, poison, innocent) => {
      const poisoned = poison().then(
        () => 'read',
        () => 'refused',
      );
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, innocent));
      expect(outcomes.map(({ status }) => status)).toEqual(Array(8).fill('fulfilled'));
      await poisoned;
    },
  );
});
