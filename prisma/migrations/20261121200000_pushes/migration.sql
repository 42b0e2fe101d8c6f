-- CreateEnum
CREATE TYPE "push_environment" AS ENUM ('development', 'production');

-- CreateEnum
CREATE TYPE "push_provider" AS ENUM ('apns', 'fcm', 'web');

-- CreateEnum
CREATE TYPE "push_channel" AS ENUM ('apns', 'apns_voip', 'gcm', 'web', 'email');

-- CreateEnum
CREATE TYPE "device_platform" AS ENUM ('ios', 'android', 'web');

-- CreateEnum
CREATE TYPE "event_type" AS ENUM ('one_shot', 'fixed_date', 'period_date');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'delivered', 'failed');

-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "chat_pushes" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "push_settings" (
    "application_id" INTEGER NOT NULL,
    "environment" "push_environment" NOT NULL,
    "provider" "push_provider" NOT NULL,
    "public_id" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_settings_pkey" PRIMARY KEY ("application_id","environment","provider")
);

-- CreateTable
CREATE TABLE "push_tokens" (
    "application_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "environment" "push_environment" NOT NULL,
    "platform" "device_platform" NOT NULL,
    "udid" TEXT NOT NULL,
    "sequence" TEXT NOT NULL,
    "keys" JSONB,
    "bundle_identifier" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_tokens_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "push_subscriptions" (
    "application_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "push_token_id" INTEGER,
    "channel" "push_channel" NOT NULL,
    "environment" "push_environment",
    "platform" "device_platform" NOT NULL,
    "udid" TEXT NOT NULL,
    "sequence" TEXT,
    "sequence_hash" TEXT,
    "keys" JSONB,
    "bundle_identifier" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_subscriptions_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "events" (
    "application_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "event_type" "event_type" NOT NULL,
    "environment" "push_environment" NOT NULL,
    "channel" "push_channel" NOT NULL,
    "name" TEXT,
    "message" TEXT NOT NULL,
    "date" TIMESTAMPTZ(3),
    "period" INTEGER,
    "end_date" TIMESTAMPTZ(3),
    "active" BOOLEAN NOT NULL,
    "occured_count" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3),
    "user_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "external_user_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "tags_any" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "tags_all" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "tags_exclude" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "tag_query" TEXT,
    "last_send_id" TEXT,
    "last_sent_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "push_sends" (
    "application_id" INTEGER NOT NULL,
    "id" TEXT NOT NULL,
    "event_id" INTEGER,
    "dialog_id" TEXT,
    "last_seq" INTEGER,
    "first_seq" INTEGER,
    "last_user_id" INTEGER NOT NULL DEFAULT 0,
    "is_spread" BOOLEAN NOT NULL DEFAULT false,
    "recipients" INTEGER NOT NULL DEFAULT 0,
    "delivered" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "push_sends_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "push_deliveries" (
    "application_id" INTEGER NOT NULL,
    "send_id" TEXT NOT NULL,
    "subscription_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "channel" "push_channel" NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "retry_at" TIMESTAMPTZ(3),
    "answer" TEXT,
    "answered_at" TIMESTAMPTZ(3),
    "pushSendApplicationId" INTEGER,
    "pushSendId" TEXT,

    CONSTRAINT "push_deliveries_pkey" PRIMARY KEY ("application_id","send_id","subscription_id")
);

-- CreateTable
CREATE TABLE "push_cursor" (
    "id" INTEGER NOT NULL,
    "position" BIGINT NOT NULL,
    "holder" TEXT,
    "held_until" TIMESTAMPTZ(3),

    CONSTRAINT "push_cursor_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "push_tokens_application_id_user_id_updated_at_idx" ON "push_tokens"("application_id", "user_id", "updated_at");

-- CreateIndex
CREATE INDEX "push_subscriptions_application_id_user_id_idx" ON "push_subscriptions"("application_id", "user_id");

-- CreateIndex
CREATE INDEX "push_subscriptions_application_id_sequence_hash_idx" ON "push_subscriptions"("application_id", "sequence_hash");

-- CreateIndex
CREATE INDEX "push_subscriptions_application_id_push_token_id_idx" ON "push_subscriptions"("application_id", "push_token_id");

-- CreateIndex
CREATE INDEX "events_application_id_user_id_id_idx" ON "events"("application_id", "user_id", "id");

-- CreateIndex
CREATE INDEX "events_due_at_idx" ON "events"("due_at");

-- CreateIndex
CREATE INDEX "push_sends_application_id_event_id_id_idx" ON "push_sends"("application_id", "event_id", "id");

-- CreateIndex
CREATE INDEX "push_sends_application_id_dialog_id_id_idx" ON "push_sends"("application_id", "dialog_id", "id");

-- CreateIndex
CREATE INDEX "push_sends_created_at_idx" ON "push_sends"("created_at");

-- CreateIndex
CREATE INDEX "push_deliveries_retry_at_idx" ON "push_deliveries"("retry_at");

-- AddForeignKey
ALTER TABLE "push_settings" ADD CONSTRAINT "push_settings_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_tokens" ADD CONSTRAINT "push_tokens_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_application_id_push_token_id_fkey" FOREIGN KEY ("application_id", "push_token_id") REFERENCES "push_tokens"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_sends" ADD CONSTRAINT "push_sends_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_deliveries" ADD CONSTRAINT "push_deliveries_pushSendApplicationId_pushSendId_fkey" FOREIGN KEY ("pushSendApplicationId", "pushSendId") REFERENCES "push_sends"("application_id", "id") ON DELETE SET NULL ON UPDATE CASCADE;



-- Messages that were sent before are not told of.
INSERT INTO "push_cursor" ("id", "position") SELECT 1, coalesce(max("position"), 0) FROM "events_outbox";
