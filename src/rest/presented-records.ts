import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import { presentRecord } from './record-forms.ts';

/** What operations are asked of a record. */
export const RecordFields = graphql(`fragment RecordFields on Record {
  id parentId userId fields createdAt updatedAt
  permissions { read { access ids groups } update { access ids groups } delete { access ids groups } }
}`);

/** A record as an operation answers it. */
export type MaskedRecord = FragmentOf<typeof RecordFields>;

export function unmasked(record: MaskedRecord) {
  return readFragment(RecordFields, record);
}

export function present(record: MaskedRecord) {
  return presentRecord(unmasked(record));
}
