-- CreateTable
CREATE TABLE "blobs" (
    "application_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "uid" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "is_public" BOOLEAN NOT NULL,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "storage_key" TEXT,
    "size" INTEGER,
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "blobs_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "blob_uploads" (
    "application_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "blob_id" INTEGER NOT NULL,
    "signing_key" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "storage_key" TEXT,
    "size" INTEGER,

    CONSTRAINT "blob_uploads_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "blob_counts" (
    "application_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,

    CONSTRAINT "blob_counts_pkey" PRIMARY KEY ("application_id","user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "blobs_id_key" ON "blobs"("id");

-- CreateIndex
CREATE INDEX "blobs_application_id_user_id_id_idx" ON "blobs"("application_id", "user_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "blobs_application_id_uid_key" ON "blobs"("application_id", "uid");

-- CreateIndex
CREATE INDEX "blob_uploads_expires_at_idx" ON "blob_uploads"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "blob_uploads_application_id_blob_id_key" ON "blob_uploads"("application_id", "blob_id");

-- AddForeignKey
ALTER TABLE "blob_uploads" ADD CONSTRAINT "blob_uploads_application_id_blob_id_fkey" FOREIGN KEY ("application_id", "blob_id") REFERENCES "blobs"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whoever adds or removes blobs, by whatever way: their numbers are kept, of each user and, as user 0, of all.
CREATE FUNCTION "count_blobs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- In the order of the keys, so that two transactions never wait in a circle.
  INSERT INTO "blob_counts" AS c ("application_id", "user_id", "number")
  SELECT "application_id", coalesce("user_id", 0), count(*)::int * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
  FROM "changed" GROUP BY GROUPING SETS (("application_id"), ("application_id", "user_id"))
  ORDER BY 1, 2
  ON CONFLICT ("application_id", "user_id") DO UPDATE SET "number" = c."number" + EXCLUDED."number";
  RETURN NULL;
END $$;

CREATE TRIGGER "blobs_added" AFTER INSERT ON "blobs"
REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_blobs"();

CREATE TRIGGER "blobs_removed" AFTER DELETE ON "blobs"
REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_blobs"();
