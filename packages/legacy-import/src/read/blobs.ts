import { ignoreMissing, SourceError } from '../errors.ts';
import type { Run } from '../run.ts';
import type { SourceBlob } from '../shapes.ts';
import { PAGE, type Reader } from '../source.ts';
import { Bound } from './pages.ts';

/** The API does not show the owner of a file, so files are listed per user. */
export type OwnedBlob = SourceBlob & { userId: number };

export async function readBlobs({ source, ledger, progress }: Run): Promise<void> {
  progress.begin('lists of files', await ledger.size('user'));
  for await (const { id } of ledger.items('user', String(ledger.cursor.user ?? ''))) {
    const userId = Number(id);
    if (source.canReadAs(userId)) {
      for await (const blobs of pagesOf(userId, source)) {
        ledger.count('filesRead', blobs.length);
        await ledger.stage(
          ledger.cursor,
          blobs.map((blob) => ({ kind: 'blob', id: String(blob.id), content: { ...blob, userId } })),
        );
      }
    }
    await ledger.stage({ user: id });
    progress.advance();
  }
}

/** Newest first. Concurrent uploads shift the pages, so a file may occur twice but is never missed. */
async function* pagesOf(reader: Reader, source: Run['source']): AsyncGenerator<SourceBlob[], void, void> {
  let bound: Bound | undefined;
  for (let number = 1; ; number++) {
    const page = await source.blobs(number, reader).catch((error) => {
      if (error instanceof SourceError && error.status === 422) return undefined;
      return ignoreMissing(error);
    });
    if (!page) return;
    bound ??= new Bound(`files of user ${reader}`, page.total_entries);
    bound.add(page.items.length);
    yield page.items;
    if (page.items.length < PAGE) return;
  }
}
