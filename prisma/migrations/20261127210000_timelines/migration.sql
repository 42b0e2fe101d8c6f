CREATE TABLE "timelines" (
    "id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "first_position" BIGINT NOT NULL,

    CONSTRAINT "timelines_pkey" PRIMARY KEY ("id")
);

-- Cluster and timeline. Roles that may not read them notice a promotion by the start of the server, and each restart is
-- then a new timeline.
CREATE FUNCTION "current_timeline"() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT "system_identifier" FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_function THEN
  RETURN 'started at ' || extract(epoch FROM pg_postmaster_start_time());
END $$;

INSERT INTO "timelines" VALUES (1, current_timeline(), 0);

-- Called by each connection before its first statement. On a new timeline, rows that were acknowledged on the previous
-- one may be missing: sequences continue behind every value that those rows may have.
CREATE FUNCTION "follow_timeline"() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  "timeline" text;
  "generator" record;
  "latest" bigint;
BEGIN
  IF pg_is_in_recovery() THEN
    RETURN NULL;
  END IF;
  "timeline" := current_timeline();
  IF EXISTS (SELECT FROM "timelines" WHERE "name" = "timeline") THEN
    RETURN "timeline";
  END IF;
  -- Without a standby the first connection must not wait for one. If this commit is lost, the next timeline repeats it.
  PERFORM set_config('synchronous_commit', 'local', true);
  -- Waits for a connection that advances them at this time.
  UPDATE "timelines" SET "name" = "timeline" WHERE "name" <> "timeline";
  IF NOT FOUND THEN
    RETURN "timeline";
  END IF;
  FOR "generator" IN
    SELECT s."seqrelid"::regclass AS "name", s."seqmax" AS "last", s."seqincrement" AS "step", s."seqtypid" = 'bigint'::regtype AS "isBig"
    FROM pg_sequence s JOIN pg_class c ON c."oid" = s."seqrelid"
    WHERE c."relnamespace" = (SELECT "relnamespace" FROM pg_class WHERE "oid" = '"timelines"'::regclass)
      AND has_sequence_privilege(s."seqrelid", 'UPDATE')
  LOOP
    "latest" := nextval("generator"."name");
    -- A million, but never so much that promotions could exhaust 32 bits. 64 bits continue from the microsecond, so that
    -- neither the number of lost values nor values of another lost timeline matter.
    PERFORM setval("generator"."name", greatest(
      "latest" + least(1000000, ("generator"."last" - "latest") / 1000) / "generator"."step" * "generator"."step",
      CASE WHEN "generator"."isBig" THEN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint END));
  END LOOP;
  UPDATE "timelines" SET "first_position" = pg_sequence_last_value('"events_outbox_position_seq"');
  RETURN "timeline";
END $$;
