-- CreateTable
CREATE TABLE "migrations" (
    "application_id" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "since" TIMESTAMPTZ(3),
    "step" TEXT,
    "cursor" JSONB NOT NULL,
    "counts" JSONB NOT NULL,

    CONSTRAINT "migrations_pkey" PRIMARY KEY ("application_id")
);

-- CreateTable
CREATE TABLE "migrated_items" (
    "application_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "container" TEXT NOT NULL DEFAULT '',
    "content" JSON,
    "previous" JSON,

    CONSTRAINT "migrated_items_pkey" PRIMARY KEY ("application_id","kind","id")
);

-- CreateTable
CREATE TABLE "migrated_messages" (
    "application_id" INTEGER NOT NULL,
    "dialog_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "sender_id" INTEGER NOT NULL,
    "recipient_id" INTEGER NOT NULL,
    "text" TEXT NOT NULL,
    "attachments" JSON NOT NULL,
    "custom_fields" JSON NOT NULL,
    "date_sent" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "read_ids" INTEGER[],
    "delivered_ids" INTEGER[],
    "has_reactions" BOOLEAN NOT NULL,
    "behind" INTEGER,

    CONSTRAINT "migrated_messages_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateIndex
CREATE INDEX "migrated_items_application_id_kind_container_id_idx" ON "migrated_items"("application_id", "kind", "container", "id");

-- CreateIndex
CREATE INDEX "migrated_messages_application_id_dialog_id_position_idx" ON "migrated_messages"("application_id", "dialog_id", "position");

-- AddForeignKey
ALTER TABLE "migrations" ADD CONSTRAINT "migrations_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "migrated_items" ADD CONSTRAINT "migrated_items_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "migrations"("application_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "migrated_messages" ADD CONSTRAINT "migrated_messages_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "migrations"("application_id") ON DELETE CASCADE ON UPDATE CASCADE;
