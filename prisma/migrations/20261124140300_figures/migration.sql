-- AlterTable
ALTER TABLE "activity_hours" ADD COLUMN     "pushes_delivered" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "pushes_failed" INTEGER NOT NULL DEFAULT 0,
ALTER COLUMN "messages" SET DEFAULT 0,
ALTER COLUMN "reactions" SET DEFAULT 0,
ALTER COLUMN "record_changes" SET DEFAULT 0;

-- Pushes of the past, by the time at which they were sent.
INSERT INTO "activity_hours" AS h ("application_id", "hour", "pushes_delivered", "pushes_failed")
SELECT "application_id", date_trunc('hour', "created_at", 'UTC'), sum("delivered")::int, sum("failed")::int
FROM "push_sends" WHERE "delivered" + "failed" > 0 GROUP BY 1, 2
ON CONFLICT ("application_id", "hour") DO UPDATE SET "pushes_delivered" = EXCLUDED."pushes_delivered",
  "pushes_failed" = EXCLUDED."pushes_failed";

-- AlterTable
ALTER TABLE "blob_counts" ADD COLUMN     "bytes" BIGINT NOT NULL DEFAULT 0;

-- No blob changes between the sums and the triggers.
LOCK TABLE "blobs" IN SHARE ROW EXCLUSIVE MODE;

UPDATE "blob_counts" c SET "bytes" = s."bytes" FROM (
  SELECT "application_id", coalesce("user_id", 0) AS "user_id", sum(coalesce("size", 0)) AS "bytes"
  FROM "blobs" GROUP BY GROUPING SETS (("application_id"), ("application_id", "user_id"))
) s WHERE c."application_id" = s."application_id" AND c."user_id" = s."user_id";

CREATE OR REPLACE FUNCTION "count_blobs"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  sign int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  -- In the order of the keys, so that transactions do not deadlock.
  INSERT INTO "blob_counts" AS c ("application_id", "user_id", "number", "bytes")
  SELECT "application_id", coalesce("user_id", 0), count(*)::int * sign, coalesce(sum("size"), 0) * sign
  FROM "changed" GROUP BY GROUPING SETS (("application_id"), ("application_id", "user_id"))
  ORDER BY 1, 2
  ON CONFLICT ("application_id", "user_id") DO UPDATE
    SET "number" = c."number" + EXCLUDED."number", "bytes" = c."bytes" + EXCLUDED."bytes";
  RETURN NULL;
END $$;

-- The size becomes known when an upload is completed.
CREATE FUNCTION "count_blob_bytes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "blob_counts" AS c ("application_id", "user_id", "number", "bytes")
  SELECT n."application_id", coalesce(n."user_id", 0), 0, sum(coalesce(n."size", 0) - coalesce(o."size", 0))
  FROM "after" n JOIN "before" o ON o."application_id" = n."application_id" AND o."id" = n."id"
  WHERE n."size" IS DISTINCT FROM o."size"
  GROUP BY GROUPING SETS ((n."application_id"), (n."application_id", n."user_id"))
  ORDER BY 1, 2
  ON CONFLICT ("application_id", "user_id") DO UPDATE SET "bytes" = c."bytes" + EXCLUDED."bytes";
  RETURN NULL;
END $$;

CREATE TRIGGER "blobs_resized" AFTER UPDATE ON "blobs"
REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "count_blob_bytes"();
