import { Prisma } from '../../db/client.ts';

/** Columns of a dialog under the names of the Prisma model; `d` is the table. */
export const DIALOG_COLUMNS = Prisma.raw(
  [
    'd.application_id AS "applicationId"',
    'd.id',
    'd.type',
    'd.user_id AS "userId"',
    'd.name',
    'd.photo',
    'd.is_join_required AS "isJoinRequired"',
    'd.pair_key AS "pairKey"',
    'd.last_seq AS "lastSeq"',
    'd.message_count AS "messageCount"',
    'd.last_message_at AS "lastMessageAt"',
    'd.member_version AS "memberVersion"',
    'd.data_class_key AS "dataClassKey"',
    'd.data',
    'd.created_at AS "createdAt"',
    'd.updated_at AS "updatedAt"',
  ].join(', '),
);
