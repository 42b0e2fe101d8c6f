import { createDialog, type QuickUser, quickUsers } from '../chat.ts';
import { sql } from '../sql.ts';
import type { Random } from './random.ts';

export interface Stage {
  users: QuickUser[];
  /** Who is in which dialog. */
  dialogs: { id: string; users: QuickUser[] }[];
  since: string;
}

/** People in some dialogs, and the place in the stream behind which everything happens. */
export async function stage(random: Random, size: { users: number; dialogs: number }): Promise<Stage> {
  const users = await quickUsers(size.users);
  const dialogs: Stage['dialogs'] = [];
  for (let nth = 0; nth < size.dialogs; nth++) {
    const inDialog = random.sample(users, random.between(2, size.users / 2));
    dialogs.push({ id: await createDialog(inDialog[0]!, inDialog.slice(1)), users: inDialog });
  }
  const [row] = await sql<{ position: string }>('SELECT max(position) AS position FROM events_outbox');
  return {
    users: users.filter((user) => dialogs.some((dialog) => dialog.users.includes(user))),
    dialogs,
    since: row!.position,
  };
}

export const dialogsOf = ({ dialogs }: Stage, user: QuickUser) =>
  dialogs.filter(({ users }) => users.includes(user)).map(({ id }) => id);
