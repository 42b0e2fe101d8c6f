-- DropForeignKey: messages of a destroyed dialog are swept later
ALTER TABLE "messages" DROP CONSTRAINT "messages_application_id_dialog_id_fkey";

-- AlterTable: it said no more than the moment of the newest message, else of creation
ALTER TABLE "dialogs" DROP COLUMN "active_at";

-- AlterTable
ALTER TABLE "members" ADD COLUMN     "hidden_seq" INTEGER,
ADD COLUMN     "left_at" TIMESTAMPTZ(3),
ADD COLUMN     "sent_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "undelivered_own_seq" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "unread_own_seq" INTEGER NOT NULL DEFAULT 0;

UPDATE "members" mb SET "sent_count" = s."sent"
FROM (SELECT "application_id", "dialog_id", "sender_id", count(*)::int AS "sent" FROM "messages" GROUP BY 1, 2, 3) s
WHERE s."application_id" = mb."application_id" AND s."dialog_id" = mb."dialog_id" AND s."sender_id" = mb."user_id";

-- CreateTable
CREATE TABLE "message_keys" (
    "application_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,

    CONSTRAINT "message_keys_pkey" PRIMARY KEY ("application_id","user_id","key")
);

-- CreateTable
CREATE TABLE "hidden_messages" (
    "application_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "dialog_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,

    CONSTRAINT "hidden_messages_pkey" PRIMARY KEY ("application_id","user_id","dialog_id","seq")
);

-- CreateTable
CREATE TABLE "muted_dialogs" (
    "application_id" INTEGER NOT NULL,
    "dialog_id" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,

    CONSTRAINT "muted_dialogs_pkey" PRIMARY KEY ("application_id","dialog_id","user_id")
);

-- CreateTable
CREATE TABLE "destroyed_dialogs" (
    "application_id" INTEGER NOT NULL,
    "dialog_id" TEXT NOT NULL,

    CONSTRAINT "destroyed_dialogs_pkey" PRIMARY KEY ("application_id","dialog_id")
);

-- CreateIndex
CREATE INDEX "hidden_messages_application_id_dialog_id_seq_idx" ON "hidden_messages"("application_id", "dialog_id", "seq");

-- CreateIndex
CREATE INDEX "muted_dialogs_application_id_user_id_idx" ON "muted_dialogs"("application_id", "user_id");

-- CreateIndex
CREATE INDEX "messages_application_id_dialog_id_created_at_seq_idx" ON "messages"("application_id", "dialog_id", "created_at", "seq");

-- AddForeignKey
ALTER TABLE "muted_dialogs" ADD CONSTRAINT "muted_dialogs_application_id_dialog_id_fkey" FOREIGN KEY ("application_id", "dialog_id") REFERENCES "dialogs"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
