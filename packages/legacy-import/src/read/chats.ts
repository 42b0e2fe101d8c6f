import type { Run } from '../run.ts';

/** Contacts and privacy lists, which only the chat shows, and only to their user. */
export async function readChats({ source, ledger, progress }: Run): Promise<void> {
  const accounts = await source.chatAccounts(ledger.applicationId);
  progress.begin('chats of users', accounts.length);
  for (const account of accounts) {
    const { userId } = account;
    if (userId <= Number(ledger.cursor.after ?? 0)) continue;
    const content = await source.chat(account);
    ledger.count('contactsRead', content.contacts.length);
    ledger.count('privacyListsRead', content.lists.length);
    await ledger.stage({ after: userId }, [{ kind: 'chat', id: String(userId), content }]);
    progress.advance();
  }
}
