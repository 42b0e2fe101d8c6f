-- Moves an application to another database (src/operator/move). Set while writes are refused here.
ALTER TABLE "applications" ADD COLUMN "moves_to" INTEGER;

ALTER TYPE "outbox_kind" ADD VALUE 'applicationMoved';

CREATE TABLE "row_changes" (
    "application_id" INTEGER NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "table_name" TEXT NOT NULL,
    "key" JSONB NOT NULL,

    CONSTRAINT "row_changes_pkey" PRIMARY KEY ("application_id", "position")
);

CREATE TABLE "moved_positions" (
    "application_id" INTEGER NOT NULL,
    "first" BIGINT NOT NULL,
    "last" BIGINT NOT NULL,
    "shift" BIGINT NOT NULL,

    CONSTRAINT "moved_positions_pkey" PRIMARY KEY ("application_id", "first", "last")
);

-- The arguments are the table, because the row may be in a partition, and the columns of its key.
CREATE FUNCTION "note_row_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "row" jsonb := CASE WHEN TG_OP = 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END;
BEGIN
  INSERT INTO "row_changes" ("application_id", "table_name", "key")
  SELECT ("row" ->> 'application_id')::int, TG_ARGV[0], jsonb_object_agg("name", "row" -> "name")
  FROM unnest(TG_ARGV) WITH ORDINALITY AS "arguments" ("name", "nth") WHERE "nth" > 1;
  RETURN NULL;
END $$;

-- cannot_connect_now: the service responds that it is unavailable for a short time.
CREATE FUNCTION "refuse_row_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an application is being moved to another database; if `app move` was interrupted, repeat it'
    USING ERRCODE = '57P03';
END $$;
