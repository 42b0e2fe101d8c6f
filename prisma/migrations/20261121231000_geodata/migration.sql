-- CreateTable
CREATE TABLE "geodata" (
    "application_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "latitude" DOUBLE PRECISION NOT NULL,
    "longitude" DOUBLE PRECISION NOT NULL,
    "status" TEXT,
    "is_latest" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "geodata_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "geodata_counts" (
    "application_id" INTEGER NOT NULL,
    "part" SMALLINT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "geodata_counts_pkey" PRIMARY KEY ("application_id","part")
);

-- CreateIndex
CREATE INDEX "geodata_application_id_created_at_id_idx" ON "geodata"("application_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "geodata_application_id_latitude_id_idx" ON "geodata"("application_id", "latitude", "id");

-- CreateIndex
CREATE INDEX "geodata_application_id_longitude_id_idx" ON "geodata"("application_id", "longitude", "id");

-- CreateIndex
CREATE INDEX "geodata_application_id_user_id_created_at_id_idx" ON "geodata"("application_id", "user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "users_application_id_login_key_idx" ON "users" USING GIN ("application_id", "login_key" gin_trgm_ops);

-- AddForeignKey
ALTER TABLE "geodata" ADD CONSTRAINT "geodata_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "geodata_counts" ADD CONSTRAINT "geodata_counts_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Places as points of a sphere (custom_objects).
CREATE INDEX "geodata_place_idx" ON "geodata" USING GIST ("application_id", "place_of"("latitude", "longitude"));

-- Where users are, apart from where they have been: as fast however long they have been on their way.
CREATE INDEX "geodata_latest_place_idx" ON "geodata" USING GIST ("application_id", "place_of"("latitude", "longitude"))
WHERE "is_latest";

CREATE INDEX "geodata_latest_created_at_idx" ON "geodata"("application_id", "created_at", "id") WHERE "is_latest";

CREATE UNIQUE INDEX "geodata_latest_user_idx" ON "geodata"("application_id", "user_id") WHERE "is_latest";

-- The number of an application's places is kept, in parts so that many users can add theirs at once.
CREATE FUNCTION "count_geodata"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "geodata_counts" AS k ("application_id", "part", "count")
  SELECT c."application_id", c."user_id" % 16, count(*)::int * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
  -- An application that is deleted takes its counts along.
  FROM "changed" c JOIN "applications" a ON a."id" = c."application_id"
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT ("application_id", "part") DO UPDATE SET "count" = k."count" + excluded."count";
  RETURN NULL;
END $$;

CREATE TRIGGER "geodata_added" AFTER INSERT ON "geodata"
REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_geodata"();

CREATE TRIGGER "geodata_removed" AFTER DELETE ON "geodata"
REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_geodata"();
