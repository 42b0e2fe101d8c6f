-- Both come with PostgreSQL and are trusted: the owner of the database may create them.
CREATE EXTENSION IF NOT EXISTS "btree_gin";
CREATE EXTENSION IF NOT EXISTS "pg_trgm";

-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "user_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "users_list" BOOLEAN NOT NULL DEFAULT true;

UPDATE "applications" SET "user_count" = (
  SELECT count(*) FROM "users" WHERE "users"."application_id" = "applications"."id");

-- CreateIndex
CREATE INDEX "reactions_application_id_user_id_idx" ON "reactions"("application_id", "user_id");

-- CreateIndex
CREATE INDEX "users_application_id_phone_id_idx" ON "users"("application_id", "phone", "id");

-- The narrower one it replaces.
DROP INDEX "users_application_id_phone_idx";

-- CreateIndex
CREATE INDEX "users_application_id_created_at_id_idx" ON "users"("application_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "users_application_id_tags_idx" ON "users" USING GIN ("application_id", "tags");

-- CreateIndex
CREATE INDEX "users_application_id_full_name_idx" ON "users" USING GIN ("application_id", "full_name" gin_trgm_ops);

-- Whoever adds or removes users, by whatever way: the number of an application's users is kept.
CREATE FUNCTION "count_users"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Rows of applications are locked in the order of their ids, so that two transactions never wait in a circle.
  PERFORM FROM "applications" a WHERE a."id" IN (SELECT "application_id" FROM "changed") ORDER BY a."id" FOR NO KEY UPDATE;
  UPDATE "applications" a
  SET "user_count" = a."user_count" + c."number" * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
  FROM (SELECT "application_id", count(*)::int AS "number" FROM "changed" GROUP BY 1) c
  WHERE a."id" = c."application_id";
  RETURN NULL;
END $$;

CREATE TRIGGER "users_added" AFTER INSERT ON "users"
REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_users"();

CREATE TRIGGER "users_removed" AFTER DELETE ON "users"
REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_users"();
