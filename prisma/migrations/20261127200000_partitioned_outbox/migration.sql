-- Partitions events_outbox by position, so that whole partitions are dropped instead of rows (src/jobs/sweep-events.ts).
-- Rows stay where they are: the table becomes the first partition. Writers wait only while a lock is held, for
-- milliseconds. Every step can be repeated after a failure, without repairs.
CREATE SCHEMA IF NOT EXISTS "outbox";

CREATE TABLE IF NOT EXISTS "outbox_start" (
    "id" INTEGER NOT NULL,
    "position" BIGINT NOT NULL,

    CONSTRAINT "outbox_start_pkey" PRIMARY KEY ("id")
);
INSERT INTO "outbox_start" ("id", "position") VALUES (1, 0) ON CONFLICT DO NOTHING;

-- Writers queue behind a lock that is waited for, so it gives up after 100 ms and is tried again for five minutes.
CREATE OR REPLACE FUNCTION pg_temp.lock_events_outbox() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR attempt IN 1..600 LOOP
        BEGIN
            SET LOCAL lock_timeout = '100ms';
            LOCK TABLE "events_outbox" IN ACCESS EXCLUSIVE MODE;
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.4);
        END;
    END LOOP;
    RAISE EXCEPTION 'events_outbox is locked by a long transaction: end it, for example a backup, and start again';
END $$;

-- The bound is far enough ahead for the events that are appended until the next steps are done.
BEGIN;
SELECT pg_temp.lock_events_outbox();
ALTER TABLE "events_outbox" DROP CONSTRAINT IF EXISTS "first_partition";
DO $$
DECLARE
    first bigint := coalesce((SELECT min("position") FROM "events_outbox"), 0);
    last bigint := (SELECT last_value FROM "events_outbox_position_seq");
BEGIN
    EXECUTE format('ALTER TABLE "events_outbox" ADD CONSTRAINT "first_partition" CHECK ("position" < %s) NOT VALID',
        last + greatest(1000000, (last - first) / 10));
END $$;
COMMIT;

-- Reads all rows beside the writers, so that ATTACH PARTITION reads none under its lock.
BEGIN;
ALTER TABLE "events_outbox" VALIDATE CONSTRAINT "first_partition";
COMMIT;

BEGIN;
SELECT pg_temp.lock_events_outbox();
ALTER SEQUENCE "events_outbox_position_seq" OWNED BY NONE;
ALTER TABLE "events_outbox" RENAME CONSTRAINT "events_outbox_pkey" TO "events_0_pkey";
ALTER TABLE "events_outbox" RENAME TO "events_0";
ALTER TABLE "events_0" SET SCHEMA "outbox";
CREATE TABLE "events_outbox" (
    LIKE "outbox"."events_0" INCLUDING DEFAULTS,
    CONSTRAINT "events_outbox_pkey" PRIMARY KEY ("position")
) PARTITION BY RANGE ("position");
ALTER SEQUENCE "events_outbox_position_seq" OWNED BY "events_outbox"."position";
DO $$
DECLARE
    bound text := (SELECT substring(pg_get_constraintdef(oid) FROM '\d+') FROM pg_constraint
        WHERE conrelid = '"outbox"."events_0"'::regclass AND conname = 'first_partition');
BEGIN
    EXECUTE format('ALTER TABLE "events_outbox" ATTACH PARTITION "outbox"."events_0" FOR VALUES FROM (MINVALUE) TO (%s)', bound);
    EXECUTE format('CREATE TABLE "outbox".%I PARTITION OF "events_outbox" FOR VALUES FROM (%s) TO (MAXVALUE)',
        'events_' || bound, bound);
END $$;
ALTER TABLE "outbox"."events_0" DROP CONSTRAINT "first_partition";
COMMIT;
