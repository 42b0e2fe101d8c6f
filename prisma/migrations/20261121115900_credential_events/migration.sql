-- AlterEnum
-- New values can not be used in the transaction that adds them, so they have a migration of their own.
ALTER TYPE "outbox_kind" ADD VALUE 'apiKeyRevoked';
ALTER TYPE "outbox_kind" ADD VALUE 'sessionMinutesChanged';
ALTER TYPE "outbox_kind" ADD VALUE 'userDeleted';
