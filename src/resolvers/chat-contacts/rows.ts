import { Prisma } from '../../db/client.ts';
import { columns, select } from '../../db/columns.ts';
import { query } from '../../db/query.ts';

export type ContactSubscription = 'none' | 'to' | 'from' | 'both';

/** How a user sees another. */
export interface ChatContact {
  userId: number;
  subscription: ContactSubscription;
  /** The user asks to see the presence of the other. */
  requested: boolean;
  /** The other asks to see the presence of the user. */
  pending: boolean;
}

export const MAX_CONTACTS = 1_000;

interface Owner {
  applicationId: number;
  userId: number;
}

const CONTACT = columns({
  userId: ['int', 'coalesce(o.contact_id, i.user_id)'],
  isAccepted: ['boolean | null', 'o.is_accepted'],
  hasAccepted: ['boolean | null', 'i.is_accepted'],
});

/** By id. @param only of these users; undefined: all */
export async function readContacts({ applicationId, userId }: Owner, only?: number): Promise<ChatContact[]> {
  const of = (column: string) => (only === undefined ? Prisma.empty : Prisma.sql`AND ${Prisma.raw(column)} = ${only}`);
  const rows = await query(select`
    SELECT ${CONTACT}
    FROM (SELECT * FROM chat_contacts
        WHERE application_id = ${applicationId} AND user_id = ${userId} ${of('contact_id')}) o
      FULL JOIN (SELECT * FROM chat_contacts
        WHERE application_id = ${applicationId} AND contact_id = ${userId} ${of('user_id')}) i ON i.user_id = o.contact_id
    ORDER BY 1`);
  return rows.map((row) => ({
    userId: row.userId,
    subscription: subscriptionOf(row.isAccepted === true, row.hasAccepted === true),
    requested: row.isAccepted === false,
    pending: row.hasAccepted === false,
  }));
}

/** Without rows: a user who is no contact. */
export async function readContact(owner: Owner, userId: number): Promise<ChatContact> {
  const [contact] = await readContacts(owner, userId);
  return contact ?? { userId, subscription: 'none', requested: false, pending: false };
}

function subscriptionOf(sees: boolean, isSeen: boolean): ContactSubscription {
  if (sees) return isSeen ? 'both' : 'to';
  return isSeen ? 'from' : 'none';
}
