import { describe, expect, test } from 'vitest';
import { clock, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { createDialog, errorOf, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import {
  aGroup,
  DIALOG,
  dialogOf,
  idsOf,
  removeOccupants,
  UPDATE_DIALOG,
  updateDialog,
} from '../../support/fixtures/groups.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

describe('updateDialog', () => {
  test('updateDialog changes updatedAt only when a field changes', async () => {
    const [alice, bob, , dave, id] = await aGroup();
    const made = (await dialogOf(id)).updatedAt;
    for (const input of [
      {},
      { isJoinRequired: null, dataClassName: null, addOccupantIds: null, removeAdminIds: null },
      { addOccupantIds: [bob.id], removeOccupantIds: [], removeAdminIds: [bob.id] },
      { removeOccupantIds: [dave.id, 2_000_000_000], addAdminIds: [dave.id] },
    ]) {
      clock.advance(1_000);
      expect((await updateDialog(alice, id, input)).updatedAt).toBe(made);
    }
    for (const input of [
      { name: 'N' },
      { photo: null },
      { isJoinRequired: false },
      { addOccupantIds: [dave.id] },
      { addAdminIds: [dave.id] },
      { removeAdminIds: [dave.id] },
      { removeOccupantIds: [dave.id] },
    ]) {
      clock.advance(1_000);
      const at = clock.date().toISOString();
      expect((await updateDialog(alice, id, input)).updatedAt).toBe(at);
      expect((await dialogOf(id)).updatedAt).toBe(at);
    }
  });

  test('updateDialog never moves updatedAt backward, even when the clock is late', async () => {
    const [alice, , carol, , id] = await aGroup();
    const { updatedAt } = await updateDialog(alice, id, { name: 'now' });
    clock.advance(-60_000);
    expect((await updateDialog(alice, id, { name: 'before' })).updatedAt).toBe(updatedAt);
    expect((await removeOccupants(alice, id, carol)).updatedAt).toBe(updatedAt);
    clock.advance(60_000);
  });

  test('updateDialog returns the group to a caller who has just left it', async () => {
    const [alice, bob, carol, , id] = await aGroup();
    await send(alice, id, 'bye');
    expect(await removeOccupants(bob, id, bob)).toMatchObject({
      userId: alice.id,
      occupantIds: [alice.id, carol.id],
      unreadMessagesCount: 0,
      lastMessage: 'bye',
    });
    await removeOccupants(alice, id, carol);
    expect(await removeOccupants(alice, id, alice)).toMatchObject({
      id,
      name: 'A dialog',
      occupantIds: [],
      adminIds: [],
    });
    expect((await errorOf(DIALOG, { id }, apiKey)).code).toBe('NOT_FOUND');
  });

  test('updateDialog accepts lists of any length', async () => {
    const [alice, bob, carol, , id] = await aGroup();
    const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
    const many = [bob.id, ...Array.from({ length: 80_000 }, (_, nth) => 2_000_000_000 + nth)];
    expect(await updateDialog(alice, id, { addOccupantIds: many })).toMatchObject({
      occupantIds: idsOf(alice, bob, carol),
    });
    expect(await updateDialog(alice, id, { addAdminIds: many })).toMatchObject({ adminIds: [bob.id] });
    expect(await updateDialog(alice, id, { removeAdminIds: many })).toMatchObject({ adminIds: [] });
    expect(await updateDialog(alice, id, { removeOccupantIds: many })).toMatchObject({
      occupantIds: idsOf(alice, carol),
    });
    const exchange = { addOccupantIds: [bob.id], removeOccupantIds: many };
    expect(await updateDialog(alice, id, exchange)).toMatchObject({ occupantIds: idsOf(alice, carol) });
    expect(await updateDialog(alice, lobby, { addAdminIds: many })).toMatchObject({ adminIds: [bob.id] });
    expect(await updateDialog(alice, lobby, { removeAdminIds: many })).toMatchObject({ adminIds: [] });
  });

  test('a group is limited to 10,000 occupants, who can be exchanged, and a public group has no limit', async () => {
    const tenant = await createTenant(2);
    const [alice, bob] = tenant.users as [QuickUser, QuickUser];
    const crowd = await sql<{ id: number }>(
      `INSERT INTO users (application_id, login, created_at, updated_at)
       SELECT $1, 'crowd' || n, now(), now() FROM generate_series(1, 10000) n RETURNING id`,
      [tenant.applicationId],
    );
    const id = await createDialog(alice, [bob]);
    const all = crowd.map((user) => user.id);
    const [last, ...others] = all;
    const tooMany = { code: 'UNPROCESSABLE', message: 'Too many occupants (maximum is 10000)' };
    expect(await errorOf(UPDATE_DIALOG, { id, input: { addOccupantIds: others } }, alice)).toEqual(tooMany);
    expect((await dialogOf(id, alice)).occupantIds).toEqual(idsOf(alice, bob));
    expect((await updateDialog(alice, id, { addOccupantIds: others.slice(1) })).occupantIds).toHaveLength(10_000);
    expect(await errorOf(UPDATE_DIALOG, { id, input: { name: 'Full', addOccupantIds: [last] } }, alice)).toEqual(
      tooMany,
    );
    const exchanged = await updateDialog(alice, id, { addOccupantIds: [last], removeOccupantIds: [bob.id] });
    expect(exchanged.occupantIds).toHaveLength(10_000);
    expect(exchanged).toMatchObject({ name: 'A dialog' });
    const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
    expect((await updateDialog(alice, lobby, { addOccupantIds: all })).occupantIds).toEqual([]);
  });

  test('the owner of a public group can make any user of the application an admin, who remains one when removed', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const [stranger] = (await createTenant(1)).users as [QuickUser];
    const id = await createDialog(alice, [], 'PUBLIC_GROUP');
    const input = {
      addAdminIds: idsOf(carol, bob, bob, stranger),
      removeOccupantIds: [bob.id],
      addOccupantIds: [bob.id],
    };
    expect(await updateDialog(alice, id, input)).toMatchObject({ occupantIds: [], adminIds: idsOf(bob, carol) });
    expect(await updateDialog(alice, id, { addAdminIds: [bob.id], removeAdminIds: [bob.id] })).toMatchObject({
      adminIds: [carol.id],
    });
    expect((await errorOf(UPDATE_DIALOG, { id, input: { name: 'N' } }, carol)).code).toBe('FORBIDDEN');
    expect(await send(bob, id, 'still here')).toMatch(/^[0-9a-f]{24}$/);
  });
});
