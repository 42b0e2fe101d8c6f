-- AlterEnum
-- New values can not be used in the transaction that adds them, so they have a migration of their own.
ALTER TYPE "outbox_kind" ADD VALUE 'messageEdited';
ALTER TYPE "outbox_kind" ADD VALUE 'messagesDeleted';
ALTER TYPE "outbox_kind" ADD VALUE 'messagesMarked';
ALTER TYPE "outbox_kind" ADD VALUE 'dialogChanged';
ALTER TYPE "outbox_kind" ADD VALUE 'dialogRemoved';

-- AlterTable
ALTER TABLE "events_outbox" ADD COLUMN     "audience_ids" INTEGER[],
ADD COLUMN     "detail" JSONB;
