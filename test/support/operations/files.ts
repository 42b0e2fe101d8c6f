import fc from 'fast-check';
import { type Body, type Fixture, field, NO_PAGE, ONE_PAGE, operation, page } from './operation.ts';
import { any, flag, type Id, mostly, perhaps, ref, text, wellFormed } from './values.ts';

const blob = ref('blob');
const uid = ref('uid');

const about = {
  name: mostly(fc.constantFrom('a.txt', 'Größe.png', 'x'.repeat(120))),
  contentType: mostly(fc.constantFrom('text/plain', 'image/png', 'no type')),
  public: perhaps(flag),
  tags: field(perhaps(fc.constantFrom(['one'], ['one', 'two'], [])), (list) => ({ tag_list: list.join(',') })),
};

function learnBlob({ blob }: Body, { known, uids, uploads }: Fixture): void {
  if (!known.blob.includes(blob.id)) known.blob.push(blob.id);
  uids.set(blob.id, blob.uid);
  if (blob.blob_object_access) uploads.set(blob.id, formOf(blob.blob_object_access.params));
}

export function formOf(params: string): Record<string, string> {
  return Object.fromEntries(new URL(params).searchParams);
}

export const files = [
  operation('post /blobs', about)
    .with({ wrapper: 'blob', learn: learnBlob })
    .served('bob', { name: 'a.txt', contentType: 'text/plain', public: true, tags: ['one'] })
    .refused('bob', { name: 'x'.repeat(120), contentType: 'no type' }),
  operation('put /blobs/:id', { new: flag, ...about })
    .with({ wrapper: 'blob', learn: learnBlob })
    .served('alice', { id: blob(0), new: true, name: 'Größe.png', contentType: 'image/png' })
    .refused('alice', { id: blob(0), new: false, name: 'x'.repeat(120) }),
  operation('post /uploads', { blob: any('blob'), bytes: text, isForged: fc.constantFrom(false, false, false, true) })
    .with({
      adapt: ({ form }, { blob, isForged }, { uploads }) => ({
        form: { ...form!, fields: { ...uploads.get(blob as Id), ...(isForged ? { signature: 'bm9uZQ==' } : {}) } },
      }),
    })
    .served('anonymous', { blob: blob(0), bytes: 'hello', isForged: false })
    .refused('anonymous', { blob: blob(0), bytes: 'hello', isForged: true }),
  operation('put /blobs/:id/complete')
    .served('alice', { id: blob(0) })
    .refused('bob', { id: blob(1) }),
  operation('get /blobs', { page }).served('key', { page: ONE_PAGE }).refused('key', { page: NO_PAGE }),
  operation('get /blobs/:id', { id: wellFormed('blob') })
    .served('carol', { id: blob(0) })
    .refused('carol', { id: blob('foreign') }),
  operation('get /blobs/:id/download', { id: wellFormed('blob') })
    .served('carol', { id: blob(0) })
    .refused('anonymous', { id: blob(0) }),
  operation('get /blobs/:uid', { uid: wellFormed('uid') })
    .served('carol', { uid: uid(0) })
    .refused('carol', { uid: uid(1) }),
  operation('get /blobs/:uid/download', { uid: wellFormed('uid') })
    .served('carol', { uid: uid(0) })
    .refused('stranger', { uid: uid(0) }),
  operation('delete /blobs/:id')
    .served('key', { id: blob(0) })
    .refused('alice', { id: blob(1) }),
];
