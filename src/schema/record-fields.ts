import { unixSeconds } from '../lib/time.ts';
import { type PresentedRecord, type RecordGrants, readableOnly, recordGrants } from '../resolvers/records/rows.ts';
import type { ObjectFields, RefOf } from './builder.ts';
import { OWNER_ID, PARENT_OF_RECORD, UPDATE_ONLY } from './descriptions.ts';

/** What records of all classes have. */
export function commonFields(t: ObjectFields<PresentedRecord>, permissions: RefOf<RecordGrants>) {
  return {
    id: t.exposeID('id', { description: '24 hex digits. Ids sort by creation time.' }),
    parentId: t.id({
      nullable: true,
      description: PARENT_OF_RECORD,
      resolve: readableOnly(({ parentId }) => parentId),
    }),
    userId: t.int({
      nullable: true,
      description: OWNER_ID,
      resolve: readableOnly(({ userId }) => userId),
    }),
    permissions: t.field({
      type: permissions,
      nullable: true,
      description: `Permissions of the record. ${UPDATE_ONLY}`,
      resolve: readableOnly(recordGrants),
    }),
    createdAt: t.int({
      description: 'Time of creation, in Unix seconds.',
      resolve: ({ createdAt }) => unixSeconds(createdAt),
    }),
    updatedAt: t.int({
      description: 'Time of the last change, in Unix seconds.',
      resolve: ({ updatedAt }) => unixSeconds(updatedAt),
    }),
  };
}
