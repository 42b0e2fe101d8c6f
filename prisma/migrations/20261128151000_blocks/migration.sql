CREATE TYPE "block_source" AS ENUM ('user', 'list');

CREATE TABLE "user_blocks" (
    "application_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "blocked_id" INTEGER NOT NULL,
    "source" "block_source" NOT NULL,
    "in_private" BOOLEAN NOT NULL,
    "in_groups" BOOLEAN NOT NULL,
    "is_mutual" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_blocks_pkey" PRIMARY KEY ("application_id","user_id","blocked_id","source")
);
CREATE INDEX "user_blocks_application_id_blocked_id_idx" ON "user_blocks"("application_id", "blocked_id");
ALTER TABLE "user_blocks" ADD CONSTRAINT "user_blocks_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "user_blocks" ADD CONSTRAINT "user_blocks_application_id_blocked_id_fkey" FOREIGN KEY ("application_id", "blocked_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE TRIGGER "user_blocks_audited" AFTER INSERT OR UPDATE OR DELETE ON "user_blocks"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('UserBlock', 'user_id,blocked_id,source', '', '');

CREATE TABLE "privacy_lists" (
    "application_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "is_default" BOOLEAN NOT NULL,
    "items" JSON NOT NULL,

    CONSTRAINT "privacy_lists_pkey" PRIMARY KEY ("application_id","user_id","name")
);
ALTER TABLE "privacy_lists" ADD CONSTRAINT "privacy_lists_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE TRIGGER "privacy_lists_audited" AFTER INSERT OR UPDATE OR DELETE ON "privacy_lists"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('PrivacyList', 'user_id,name', '', '');
