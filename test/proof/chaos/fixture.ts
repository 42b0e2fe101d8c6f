import { sql } from '../../support/app/sql.ts';
import { createDialog, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import type { Random } from '../../support/fixtures/random.ts';

export interface ChaosFixture {
  users: QuickUser[];
  dialogs: { id: string; users: QuickUser[] }[];
  since: string;
}

/** Creates users in some dialogs. `since` is the position after which the test begins. */
export async function createChaosFixture(
  random: Random,
  size: { users: number; dialogs: number },
): Promise<ChaosFixture> {
  const users = await quickUsers(size.users);
  const dialogs: ChaosFixture['dialogs'] = [];
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

export const dialogsOf = ({ dialogs }: ChaosFixture, user: QuickUser) =>
  dialogs.filter(({ users }) => users.includes(user)).map(({ id }) => id);
