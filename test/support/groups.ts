import { expect } from 'vitest';
import { sweep } from '../../src/jobs/sweep.ts';
import { running } from './app.ts';
import { ask, createDialog, type QuickUser, quickUsers } from './chat.ts';
import { sql } from './sql.ts';
import { apiKey, type Caller } from './users.ts';

export const UPDATE_DIALOG = `mutation ($id: ID!, $input: UpdateDialogInput!) { updateDialog(id: $id, input: $input) {
  id type userId name photo isJoinRequired occupantIds adminIds unreadMessagesCount lastMessage updatedAt } }`;
export const DIALOG = `query ($id: ID!) { dialog(id: $id) {
  userId occupantIds adminIds unreadMessagesCount lastMessage updatedAt } }`;
export const LEAVE = 'mutation ($id: ID!) { deleteDialog(id: $id) }';
export const DESTROY = 'mutation ($id: ID!) { deleteDialog(id: $id, force: true) }';
export const MUTE = `mutation ($id: ID!, $enabled: Boolean = false) {
  updateDialogNotifications(dialogId: $id, enabled: $enabled) { enabled } }`;
export const READ = `mutation ($id: ID!, $skip: Int, $limit: Int) {
  readMessages(dialogId: $id, skip: $skip, limit: $limit) { items { id } } }`;

/** What hangs on a dialog, by the dialog's id. */
const TABLES = ['members', 'messages', 'message_marks', 'hidden_messages', 'muted_dialogs', 'destroyed_dialogs'];

export const idsOf = (...users: { id: number }[]) => users.map((user) => user.id);

export async function updateDialog(as: Caller, id: string, input: object) {
  return (await ask(UPDATE_DIALOG, { id, input }, as)).updateDialog;
}

export const addOccupants = (as: Caller, id: string, ...users: { id: number }[]) =>
  updateDialog(as, id, { addOccupantIds: idsOf(...users) });

export const removeOccupants = (as: Caller, id: string, ...users: { id: number }[]) =>
  updateDialog(as, id, { removeOccupantIds: idsOf(...users) });

export async function dialogOf(id: string, as: Caller = apiKey) {
  return (await ask(DIALOG, { id }, as)).dialog;
}

type Group = [alice: QuickUser, bob: QuickUser, carol: QuickUser, dave: QuickUser, id: string];

/** Alice's group with Bob and Carol; Dave stands outside. */
export async function aGroup(): Promise<Group> {
  const [alice, bob, carol, dave] = (await quickUsers(4)) as [QuickUser, QuickUser, QuickUser, QuickUser];
  return [alice, bob, carol, dave, await createDialog(alice, [bob, carol])];
}

/** Sweeps once, as the clock does every few minutes. */
export function sweepNow(): Promise<void> {
  return sweep(running.now(), { sessionMinutes: 120, eventRetentionHours: 24 });
}

/** Nothing is left of the dialogs, once what destroyed ones held is swept. */
export async function expectGone(dialogIds: string[], messageIds: string[] = []): Promise<void> {
  await sweepNow();
  for (const table of TABLES) {
    expect([table, await sql(`SELECT FROM ${table} WHERE dialog_id = ANY($1)`, [dialogIds])]).toEqual([table, []]);
  }
  expect(await sql('SELECT FROM dialogs WHERE id = ANY($1)', [dialogIds])).toEqual([]);
  expect(await sql('SELECT FROM reactions WHERE message_id = ANY($1)', [messageIds])).toEqual([]);
}
