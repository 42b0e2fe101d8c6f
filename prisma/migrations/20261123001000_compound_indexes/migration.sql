-- Indexes of several fields. A slot repeats their values as one text that sorts like them.
CREATE TABLE "class_indexes" (
    "application_id" INTEGER NOT NULL,
    "class_key" INTEGER NOT NULL,
    "slot" TEXT NOT NULL,
    "fields" TEXT[],
    "is_unique" BOOLEAN NOT NULL,
    "state" "index_state" NOT NULL,

    CONSTRAINT "class_indexes_pkey" PRIMARY KEY ("application_id","class_key","slot")
);

-- AddForeignKey
ALTER TABLE "class_indexes" ADD CONSTRAINT "class_indexes_application_id_class_key_fkey" FOREIGN KEY ("application_id", "class_key") REFERENCES "record_classes"("application_id", "key") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "records"
  ADD COLUMN "c1" TEXT COLLATE "C",
  ADD COLUMN "c2" TEXT COLLATE "C",
  ADD COLUMN "c3" TEXT COLLATE "C",
  ADD COLUMN "c4" TEXT COLLATE "C",
  ADD COLUMN "c5" TEXT COLLATE "C",
  ADD COLUMN "c6" TEXT COLLATE "C",
  ADD COLUMN "c7" TEXT COLLATE "C",
  ADD COLUMN "c8" TEXT COLLATE "C";

-- Only records of classes with such an index are in these.
CREATE INDEX "records_c1_idx" ON "records" ("application_id", "class_key", "is_open", "c1", "id") WHERE "c1" IS NOT NULL;
CREATE INDEX "records_c2_idx" ON "records" ("application_id", "class_key", "is_open", "c2", "id") WHERE "c2" IS NOT NULL;
CREATE INDEX "records_c3_idx" ON "records" ("application_id", "class_key", "is_open", "c3", "id") WHERE "c3" IS NOT NULL;
CREATE INDEX "records_c4_idx" ON "records" ("application_id", "class_key", "is_open", "c4", "id") WHERE "c4" IS NOT NULL;
CREATE INDEX "records_c5_idx" ON "records" ("application_id", "class_key", "is_open", "c5", "id") WHERE "c5" IS NOT NULL;
CREATE INDEX "records_c6_idx" ON "records" ("application_id", "class_key", "is_open", "c6", "id") WHERE "c6" IS NOT NULL;
CREATE INDEX "records_c7_idx" ON "records" ("application_id", "class_key", "is_open", "c7", "id") WHERE "c7" IS NOT NULL;
CREATE INDEX "records_c8_idx" ON "records" ("application_id", "class_key", "is_open", "c8", "id") WHERE "c8" IS NOT NULL;

-- 16 hexadecimal digits that sort like the number. Must match src/resolvers/classes/slots.ts, like `compound_key`.
CREATE FUNCTION "number_key"(value double precision) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN value >= 0
  THEN overlay(encode(float8send(value + 0), 'hex') PLACING translate(left(encode(float8send(value + 0), 'hex'), 1), '01234567', '89abcdef') FROM 1)
  ELSE translate(encode(float8send(value), 'hex'), '0123456789abcdef', 'fedcba9876543210') END;

-- A set value begins with `v`, an unset one is `w`; a text ends with a terminator that sorts before every character.
CREATE FUNCTION "compound_key"(fields jsonb, names text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(CASE jsonb_typeof(fields -> name)
  WHEN 'string' THEN 'v' || replace(fields ->> name, E'\x01', E'\x01\x02') || E'\x01\x01'
  WHEN 'number' THEN 'v' || number_key((fields ->> name)::double precision)
  WHEN 'boolean' THEN 'v' || number_key((fields ->> name)::boolean::integer)
  ELSE 'w' END, '' ORDER BY place)
FROM unnest(names) WITH ORDINALITY AS one (name, place));
