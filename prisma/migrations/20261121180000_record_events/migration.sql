-- AlterEnum
-- New values can not be used in the transaction that adds them, so they have a migration of their own.
ALTER TYPE "outbox_kind" ADD VALUE 'recordCreated';
ALTER TYPE "outbox_kind" ADD VALUE 'recordUpdated';
ALTER TYPE "outbox_kind" ADD VALUE 'recordDeleted';
ALTER TYPE "outbox_kind" ADD VALUE 'classDeleted';
