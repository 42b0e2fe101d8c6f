import { SourceRefusal } from '../client.ts';
import type { Run } from '../run.ts';
import type { SourceBlob } from '../shapes.ts';
import { PAGE, type Reader } from '../source.ts';
import { Bound } from './bound.ts';
import { ignoreMissing } from './dialogs.ts';

/** The API does not show the owner of a file, so files are listed per user. */
export type OwnedBlob = SourceBlob & { userId: number };

export async function readBlobs({ source, ledger, progress }: Run): Promise<void> {
  progress.begin('lists of files', await ledger.size('user'));
  for await (const { id } of ledger.each('user', String(ledger.cursor.user ?? ''))) {
    const userId = Number(id);
    if (source.hasKey || source.signedIn.includes(userId)) {
      for await (const blobs of pagesOf(userId, source)) {
        ledger.count('filesRead', blobs.length);
        await ledger.keep(
          ledger.cursor,
          blobs.map((blob) => ({ kind: 'blob', id: String(blob.id), content: { ...blob, userId } })),
        );
      }
    }
    await ledger.keep({ user: id }, []);
    progress.advance();
  }
}

/** Newest first. Concurrent uploads shift the pages, so a file may occur twice but is never missed. */
async function* pagesOf(reader: Reader, source: Run['source']): AsyncGenerator<SourceBlob[], void, void> {
  let bound: Bound | undefined;
  for (let page = 1; ; page++) {
    const found = await source.blobs(page, reader).catch((error) => {
      if (error instanceof SourceRefusal && error.status === 422) return undefined;
      return ignoreMissing(error);
    });
    if (!found) return;
    bound ??= new Bound(`files of user ${reader}`, found.total_entries);
    bound.add(found.items.length);
    yield found.items;
    if (found.items.length < PAGE) return;
  }
}
