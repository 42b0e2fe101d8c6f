import type { Run } from '../run.ts';
import { PAGE } from '../source.ts';
import { Bound, requireAscending } from './bound.ts';

/** Always reads all users, because the list cannot be filtered by changes and is small compared to messages. */
export async function readUsers({ source, ledger, progress }: Run): Promise<void> {
  let after = Number(ledger.cursor.after ?? 0);
  let bound: Bound | undefined;
  for (;;) {
    const { items, total_entries: total } = await source.users(after);
    if (!bound) progress.begin('users', total);
    bound ??= new Bound('users', total);
    bound.add(items.length);
    requireAscending(
      'users',
      items.map(({ id }) => id),
      after,
    );
    after = items.at(-1)?.id ?? after;
    ledger.count('usersRead', items.length);
    await ledger.keep(
      { after },
      items.map((content) => ({ kind: 'user', id: String(content.id), content })),
    );
    progress.advance(items.length);
    if (items.length < PAGE) return;
  }
}
