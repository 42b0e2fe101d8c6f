-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "signature_hash" AS ENUM ('sha1', 'sha256');

-- CreateEnum
CREATE TYPE "outbox_kind" AS ENUM ('messageSent', 'reactionAdded', 'reactionRemoved', 'sessionEnded');

-- CreateTable
CREATE TABLE "applications" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "auth_key" TEXT NOT NULL,
    "auth_secret" TEXT NOT NULL,
    "signature_hash" "signature_hash" NOT NULL DEFAULT 'sha1',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "applications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "application_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "key_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "users" (
    "application_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "login" TEXT,
    "login_key" TEXT,
    "email" TEXT,
    "password_hash" TEXT,
    "full_name" TEXT,
    "phone" TEXT,
    "website" TEXT,
    "facebook_id" TEXT,
    "twitter_id" TEXT,
    "external_user_id" BIGINT,
    "blob_id" INTEGER,
    "custom_data" TEXT,
    "parents_contacts" TEXT NOT NULL DEFAULT '',
    "age_over16" BOOLEAN NOT NULL DEFAULT false,
    "allow_statistics_analysis" BOOLEAN NOT NULL DEFAULT false,
    "allow_sales_activities" BOOLEAN NOT NULL DEFAULT false,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_request_at" TIMESTAMPTZ(3),

    CONSTRAINT "users_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "application_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "token_hash" TEXT NOT NULL,
    "user_id" INTEGER,
    "nonce" BIGINT NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "used_nonces" (
    "application_id" INTEGER NOT NULL,
    "nonce" BIGINT NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_nonces_pkey" PRIMARY KEY ("application_id","nonce","timestamp")
);

-- CreateTable
CREATE TABLE "dialogs" (
    "application_id" INTEGER NOT NULL,
    "id" TEXT NOT NULL,
    "type" SMALLINT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" TEXT,
    "photo" TEXT,
    "is_join_required" BOOLEAN NOT NULL DEFAULT false,
    "pair_key" TEXT,
    "last_seq" INTEGER NOT NULL DEFAULT 0,
    "message_count" INTEGER NOT NULL DEFAULT 0,
    "active_at" TIMESTAMPTZ(3) NOT NULL,
    "last_message_at" TIMESTAMPTZ(3),
    "member_version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dialogs_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "members" (
    "application_id" INTEGER NOT NULL,
    "dialog_id" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "is_admin" BOOLEAN NOT NULL DEFAULT false,
    "read_seq" INTEGER NOT NULL DEFAULT 0,
    "delivered_seq" INTEGER NOT NULL DEFAULT 0,
    "settled_count" INTEGER NOT NULL DEFAULT 0,
    "joined_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "members_pkey" PRIMARY KEY ("application_id","dialog_id","user_id")
);

-- CreateTable
CREATE TABLE "messages" (
    "application_id" INTEGER NOT NULL,
    "id" TEXT NOT NULL,
    "dialog_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "sender_id" INTEGER NOT NULL,
    "recipient_id" INTEGER NOT NULL,
    "text" TEXT NOT NULL,
    "attachments" JSON NOT NULL DEFAULT '[]',
    "custom_fields" JSON NOT NULL DEFAULT '{}',
    "send_to_chat" BOOLEAN NOT NULL,
    "date_sent" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "message_marks" (
    "application_id" INTEGER NOT NULL,
    "dialog_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "is_read" BOOLEAN,
    "is_delivered" BOOLEAN,

    CONSTRAINT "message_marks_pkey" PRIMARY KEY ("application_id","dialog_id","seq","user_id")
);

-- CreateTable
CREATE TABLE "reactions" (
    "application_id" INTEGER NOT NULL,
    "message_id" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "position" BIGSERIAL NOT NULL,

    CONSTRAINT "reactions_pkey" PRIMARY KEY ("application_id","message_id","user_id","name")
);

-- CreateTable
CREATE TABLE "events_outbox" (
    "position" BIGSERIAL NOT NULL,
    "application_id" INTEGER NOT NULL,
    "kind" "outbox_kind" NOT NULL,
    "dialog_id" TEXT,
    "subject_id" TEXT NOT NULL,
    "user_id" INTEGER,
    "name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "events_outbox_pkey" PRIMARY KEY ("position")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

-- CreateIndex
CREATE UNIQUE INDEX "users_application_id_login_key_key" ON "users"("application_id", "login_key");

-- CreateIndex
CREATE UNIQUE INDEX "users_application_id_email_key" ON "users"("application_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "users_application_id_facebook_id_key" ON "users"("application_id", "facebook_id");

-- CreateIndex
CREATE UNIQUE INDEX "users_application_id_twitter_id_key" ON "users"("application_id", "twitter_id");

-- CreateIndex
CREATE UNIQUE INDEX "users_application_id_external_user_id_key" ON "users"("application_id", "external_user_id");

-- CreateIndex
CREATE INDEX "sessions_application_id_user_id_idx" ON "sessions"("application_id", "user_id");

-- CreateIndex
CREATE INDEX "sessions_updated_at_idx" ON "sessions"("updated_at");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_application_id_token_hash_key" ON "sessions"("application_id", "token_hash");

-- CreateIndex
CREATE INDEX "used_nonces_used_at_idx" ON "used_nonces"("used_at");

-- CreateIndex
CREATE INDEX "dialogs_application_id_type_idx" ON "dialogs"("application_id", "type");

-- CreateIndex
CREATE UNIQUE INDEX "dialogs_application_id_pair_key_key" ON "dialogs"("application_id", "pair_key");

-- CreateIndex
CREATE INDEX "members_application_id_user_id_idx" ON "members"("application_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "messages_application_id_dialog_id_seq_key" ON "messages"("application_id", "dialog_id", "seq");

-- CreateIndex
CREATE INDEX "message_marks_application_id_dialog_id_user_id_seq_idx" ON "message_marks"("application_id", "dialog_id", "user_id", "seq");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dialogs" ADD CONSTRAINT "dialogs_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_application_id_dialog_id_fkey" FOREIGN KEY ("application_id", "dialog_id") REFERENCES "dialogs"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_application_id_dialog_id_fkey" FOREIGN KEY ("application_id", "dialog_id") REFERENCES "dialogs"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;


