import { Prisma } from '../../db/client.ts';
import { column, columnsOf, select, withJson } from '../../db/columns.ts';
import { TYPE_IN_SQL } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../lib/access.ts';
import { userIdOf } from '../../lib/access.ts';
import { indexBy } from '../../lib/collections.ts';
import { Loader } from '../../lib/loader.ts';
import type { Loaders } from '../../lib/loaders.ts';
import { hiddenFromUser } from './hidden-messages.ts';

/** What other tables hold of a dialog, as one user sees it. Parts that were not requested are null. */
export interface DialogDetails {
  occupants: Occupants | null;
  /** The latest message that the user can see. */
  lastMessage: LastMessage | null;
  /** Messages that the user has not sent, read or hidden; 0 in public groups and without a user. */
  unread: number | null;
  /** Of the other occupant of a private dialog. */
  otherName: string | null;
}

/** User ids, ascending. */
export type Occupants = [all: number[] | null, admins: number[] | null];

export interface LastMessage {
  id: string;
  text: string;
  dateSent: number;
  senderId: number;
}

export type DialogPart = keyof DialogDetails;
export type DialogParts = Record<DialogPart, boolean>;

const PART_OF_FIELD: Record<string, DialogPart> = {
  occupantIds: 'occupants',
  adminIds: 'occupants',
  lastMessage: 'lastMessage',
  lastMessageId: 'lastMessage',
  lastMessageDateSent: 'lastMessage',
  lastMessageUserId: 'lastMessage',
  unreadMessagesCount: 'unread',
  name: 'otherName',
};

/** @param requested names of fields */
export function partsOf(requested: ReadonlySet<string>): DialogParts {
  return partsAmong(Object.keys(PART_OF_FIELD).flatMap((name) => (requested.has(name) ? PART_OF_FIELD[name]! : [])));
}

function partsAmong(parts: readonly DialogPart[]): DialogParts {
  const isAmong = (part: DialogPart) => parts.includes(part);
  return {
    occupants: isAmong('occupants'),
    lastMessage: isAmong('lastMessage'),
    unread: isAmong('unread'),
    otherName: isAmong('otherName'),
  };
}

/** A row `w` for `detailColumns`. */
export function requestedDetails(userId: number, parts: DialogParts): Prisma.Sql {
  return Prisma.sql`(SELECT ${userId}::int AS user_id, ${parts.occupants}::boolean AS occupants,
    ${parts.lastMessage}::boolean AS last_message, ${parts.unread}::boolean AS unread, ${parts.otherName}::boolean AS other_name)`;
}

/** Of private dialog `d`; without a user, the name of the owner's partner. */
export function otherNameFor(applicationId: number, userId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT coalesce(u.full_name, u.login, u.email) FROM users u
    WHERE u.application_id = ${applicationId} AND u.id = split_part(d.pair_key, ':',
      CASE WHEN split_part(d.pair_key, ':', 1)::int = coalesce(nullif(${userId}, 0), d.user_id) THEN 2 ELSE 1 END)::int)`;
}

/** Of dialog `d`, as wanted by `w`. */
export function detailColumns(applicationId: number) {
  const occupants = Prisma.sql`CASE WHEN w.occupants THEN (
    SELECT json_build_array(json_agg(m.user_id ORDER BY m.user_id),
      json_agg(m.user_id ORDER BY m.user_id) FILTER (WHERE m.is_admin))
    FROM members m WHERE m.application_id = ${applicationId} AND m.dialog_id = d.id AND m.left_at IS NULL) END`;
  const lastMessage = Prisma.sql`CASE WHEN w.last_message THEN (
    SELECT json_build_object('id', m.id, 'text', m.text, 'dateSent', m.date_sent, 'senderId', m.sender_id)
    FROM messages m WHERE m.application_id = ${applicationId} AND m.dialog_id = d.id
      AND NOT ${hiddenFromUser(applicationId, Prisma.sql`w.user_id`)}
    ORDER BY m.seq DESC LIMIT 1) END`;
  const unread = Prisma.sql`CASE WHEN w.unread THEN coalesce((
    SELECT d.message_count - m.settled_count FROM members m
    WHERE m.application_id = ${applicationId} AND m.dialog_id = d.id AND m.user_id = w.user_id AND m.left_at IS NULL
      AND d.type <> ${TYPE_IN_SQL.PUBLIC_GROUP}), 0) END`;
  const otherName = Prisma.sql`CASE WHEN w.other_name AND d.type = ${TYPE_IN_SQL.PRIVATE}
    THEN ${otherNameFor(applicationId, Prisma.sql`w.user_id`)} END`;
  return withJson<Pick<DialogDetails, 'occupants' | 'lastMessage'>>()(
    select`${column('occupants', 'json | null', occupants)}, ${column('lastMessage', 'json | null', lastMessage)},
      ${column('unread', 'int | null', unread)}, ${column('otherName', 'text | null', otherName)}`,
  );
}

const ID = columnsOf('Dialog', 'd', ['id']);

interface Wanted {
  dialog: Dialog;
  part: DialogPart;
}

/** Reads the parts that all fields of one turn need with one statement. */
export function detailsLoader(viewer: Viewer): Loader<Wanted, DialogDetails> {
  return new Loader(
    async (wanted) => {
      const { applicationId } = wanted[0]!.dialog;
      const ids = [...new Set(wanted.map(({ dialog }) => dialog.id))];
      const parts = partsAmong(wanted.map(({ part }) => part));
      const rows = await query`
        SELECT ${ID}, ${detailColumns(applicationId)} FROM ${requestedDetails(userIdOf(viewer), parts)} AS w
        JOIN dialogs d ON d.application_id = ${applicationId} AND d.id = ANY(${ids}::text[])`;
      const byDialog = indexBy(rows, ({ id }) => id);
      return wanted.map(({ dialog }) => byDialog.get(dialog.id) ?? NONE);
    },
    ({ dialog, part }) => `${part} ${dialog.id}`,
  );
}

/** Of a deleted dialog. */
const NONE: DialogDetails = { occupants: null, lastMessage: null, unread: null, otherName: null };

/** Keeps details for the fields of a dialog. */
export function keepDetails(dialog: Dialog, details: DialogDetails, parts: DialogParts, loaders: Loaders): void {
  const loader = loaders.of(detailsLoader);
  for (const part of PARTS) if (parts[part]) loader.know({ dialog, part }, details);
}

const PARTS = Object.keys(NONE) as DialogPart[];
