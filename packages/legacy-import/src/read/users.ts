import type { Run } from '../run.ts';
import { pagesById } from './pages.ts';

/** Always reads all users, because the list cannot be filtered by changes and is small compared to messages. */
export async function readUsers({ source, ledger, progress }: Run): Promise<void> {
  const pages = pagesById({
    what: 'users',
    after: Number(ledger.cursor.after ?? 0),
    read: (after: number) => source.users(after),
    onTotal: (total) => progress.begin('users', total),
  });
  for await (const { items, after } of pages) {
    ledger.count('usersRead', items.length);
    await ledger.stage(
      { after },
      items.map((content) => ({ kind: 'user', id: String(content.id), content })),
    );
    progress.advance(items.length);
  }
}
