-- CreateExtension
-- Trusted ones: the owner of the database may create them.
CREATE EXTENSION IF NOT EXISTS "btree_gist";
CREATE EXTENSION IF NOT EXISTS "cube";

-- CreateEnum
CREATE TYPE "record_field_type" AS ENUM ('Integer', 'Float', 'String', 'Boolean', 'Date', 'Location', 'File');

-- CreateEnum
CREATE TYPE "index_state" AS ENUM ('none', 'building', 'ready', 'dropping');

-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "catalogue_version" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "dialogs" ADD COLUMN     "data" JSONB,
ADD COLUMN     "data_class_key" INTEGER;

-- AlterTable
ALTER TABLE "events_outbox" ADD COLUMN     "class_key" INTEGER;

-- CreateTable
CREATE TABLE "record_classes" (
    "application_id" INTEGER NOT NULL,
    "key" SERIAL NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "creators" TEXT[],
    "readers" TEXT[],
    "updaters" TEXT[],
    "deleters" TEXT[],
    "has_open" BOOLEAN NOT NULL DEFAULT false,
    "has_private" BOOLEAN NOT NULL DEFAULT false,
    "has_shared" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "record_classes_pkey" PRIMARY KEY ("application_id","key")
);

-- CreateTable
CREATE TABLE "class_fields" (
    "application_id" INTEGER NOT NULL,
    "class_key" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "type" "record_field_type" NOT NULL,
    "is_array" BOOLEAN NOT NULL,
    "is_required" BOOLEAN NOT NULL DEFAULT false,
    "is_unique" BOOLEAN NOT NULL DEFAULT false,
    "slot" TEXT,
    "index_state" "index_state" NOT NULL DEFAULT 'none',

    CONSTRAINT "class_fields_pkey" PRIMARY KEY ("application_id","class_key","name")
);

-- CreateTable
CREATE TABLE "records" (
    "application_id" INTEGER NOT NULL,
    "id" TEXT NOT NULL,
    "class_key" INTEGER NOT NULL,
    "parent_id" TEXT,
    "user_id" INTEGER NOT NULL,
    "is_open" BOOLEAN NOT NULL,
    "readers" TEXT[],
    "updaters" TEXT[],
    "deleters" TEXT[],
    "fields" JSONB NOT NULL,
    "n1" DOUBLE PRECISION,
    "n2" DOUBLE PRECISION,
    "n3" DOUBLE PRECISION,
    "n4" DOUBLE PRECISION,
    "n5" DOUBLE PRECISION,
    "n6" DOUBLE PRECISION,
    "n7" DOUBLE PRECISION,
    "n8" DOUBLE PRECISION,
    "t1" TEXT COLLATE "C",
    "t2" TEXT COLLATE "C",
    "t3" TEXT COLLATE "C",
    "t4" TEXT COLLATE "C",
    "t5" TEXT COLLATE "C",
    "t6" TEXT COLLATE "C",
    "t7" TEXT COLLATE "C",
    "t8" TEXT COLLATE "C",
    "p1" cube,
    "p2" cube,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "records_pkey" PRIMARY KEY ("application_id","id")
);

-- CreateTable
CREATE TABLE "record_keys" (
    "application_id" INTEGER NOT NULL,
    "class_key" INTEGER NOT NULL,
    "field" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "record_id" TEXT NOT NULL,

    CONSTRAINT "record_keys_pkey" PRIMARY KEY ("application_id","class_key","field","value")
);

-- CreateTable
CREATE TABLE "deleted_classes" (
    "application_id" INTEGER NOT NULL,
    "class_key" INTEGER NOT NULL,

    CONSTRAINT "deleted_classes_pkey" PRIMARY KEY ("application_id","class_key")
);

-- CreateIndex
CREATE UNIQUE INDEX "record_classes_application_id_id_key" ON "record_classes"("application_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "record_classes_application_id_name_key" ON "record_classes"("application_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "class_fields_application_id_class_key_slot_key" ON "class_fields"("application_id", "class_key", "slot");

-- CreateIndex
CREATE INDEX "records_application_id_class_key_is_open_id_idx" ON "records"("application_id", "class_key", "is_open", "id");

-- CreateIndex
CREATE INDEX "records_application_id_class_key_is_open_created_at_id_idx" ON "records"("application_id", "class_key", "is_open", "created_at", "id");

-- CreateIndex
CREATE INDEX "records_application_id_class_key_is_open_updated_at_id_idx" ON "records"("application_id", "class_key", "is_open", "updated_at", "id");

-- CreateIndex
CREATE INDEX "records_application_id_class_key_user_id_id_idx" ON "records"("application_id", "class_key", "user_id", "id");

-- CreateIndex
CREATE INDEX "records_application_id_class_key_fields_idx" ON "records" USING GIN ("application_id" int4_ops, "class_key" int4_ops, "fields" jsonb_path_ops);

-- CreateIndex
CREATE INDEX "record_keys_application_id_record_id_idx" ON "record_keys"("application_id", "record_id");

-- AddForeignKey
ALTER TABLE "record_classes" ADD CONSTRAINT "record_classes_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "class_fields" ADD CONSTRAINT "class_fields_application_id_class_key_fkey" FOREIGN KEY ("application_id", "class_key") REFERENCES "record_classes"("application_id", "key") ON DELETE CASCADE ON UPDATE CASCADE;



-- Children of a record; most records have no parent.
CREATE INDEX "records_parent_idx" ON "records" ("application_id", "parent_id", "class_key", "id") WHERE "parent_id" IS NOT NULL;

-- Dialogs that carry the fields of a class; most carry none.
CREATE INDEX "dialogs_data_idx" ON "dialogs" USING GIN ("application_id", "data_class_key", "data" jsonb_path_ops) WHERE "data_class_key" IS NOT NULL;

-- Records that named users or groups may read. The others are found by `is_open` and `user_id`.
CREATE INDEX "records_readers_idx" ON "records" USING GIN ("application_id", "class_key", "readers") WHERE NOT "is_open";

-- The slots of indexed fields. An unused one costs nothing: it is null, and not in its index.
CREATE INDEX "records_n1_idx" ON "records" ("application_id", "class_key", "is_open", "n1", "id") WHERE "n1" IS NOT NULL;
CREATE INDEX "records_n2_idx" ON "records" ("application_id", "class_key", "is_open", "n2", "id") WHERE "n2" IS NOT NULL;
CREATE INDEX "records_n3_idx" ON "records" ("application_id", "class_key", "is_open", "n3", "id") WHERE "n3" IS NOT NULL;
CREATE INDEX "records_n4_idx" ON "records" ("application_id", "class_key", "is_open", "n4", "id") WHERE "n4" IS NOT NULL;
CREATE INDEX "records_n5_idx" ON "records" ("application_id", "class_key", "is_open", "n5", "id") WHERE "n5" IS NOT NULL;
CREATE INDEX "records_n6_idx" ON "records" ("application_id", "class_key", "is_open", "n6", "id") WHERE "n6" IS NOT NULL;
CREATE INDEX "records_n7_idx" ON "records" ("application_id", "class_key", "is_open", "n7", "id") WHERE "n7" IS NOT NULL;
CREATE INDEX "records_n8_idx" ON "records" ("application_id", "class_key", "is_open", "n8", "id") WHERE "n8" IS NOT NULL;
CREATE INDEX "records_t1_idx" ON "records" ("application_id", "class_key", "is_open", "t1", "id") WHERE "t1" IS NOT NULL;
CREATE INDEX "records_t2_idx" ON "records" ("application_id", "class_key", "is_open", "t2", "id") WHERE "t2" IS NOT NULL;
CREATE INDEX "records_t3_idx" ON "records" ("application_id", "class_key", "is_open", "t3", "id") WHERE "t3" IS NOT NULL;
CREATE INDEX "records_t4_idx" ON "records" ("application_id", "class_key", "is_open", "t4", "id") WHERE "t4" IS NOT NULL;
CREATE INDEX "records_t5_idx" ON "records" ("application_id", "class_key", "is_open", "t5", "id") WHERE "t5" IS NOT NULL;
CREATE INDEX "records_t6_idx" ON "records" ("application_id", "class_key", "is_open", "t6", "id") WHERE "t6" IS NOT NULL;
CREATE INDEX "records_t7_idx" ON "records" ("application_id", "class_key", "is_open", "t7", "id") WHERE "t7" IS NOT NULL;
CREATE INDEX "records_t8_idx" ON "records" ("application_id", "class_key", "is_open", "t8", "id") WHERE "t8" IS NOT NULL;
CREATE INDEX "records_p1_idx" ON "records" USING GIST ("application_id", "class_key", "p1") WHERE "p1" IS NOT NULL;
CREATE INDEX "records_p2_idx" ON "records" USING GIST ("application_id", "class_key", "p2") WHERE "p2" IS NOT NULL;

-- A place as a point of the sphere with the radius 1, where straight distances grow as those on the ground do, with no
-- seam at the date line and no crowd at the poles.
CREATE FUNCTION "place_of"("lat" DOUBLE PRECISION, "lon" DOUBLE PRECISION) RETURNS cube
LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN cube(ARRAY[
  cos(radians("lat")) * cos(radians("lon")),
  cos(radians("lat")) * sin(radians("lon")),
  sin(radians("lat"))
]);
