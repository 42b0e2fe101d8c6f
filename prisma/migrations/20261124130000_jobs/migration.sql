-- Exports and checks that administrators start in the console, and tickets to download archives.
CREATE TYPE "job_kind" AS ENUM ('export', 'check');
CREATE TYPE "job_state" AS ENUM ('queued', 'running', 'succeeded', 'failed', 'canceled', 'interrupted');
CREATE TABLE "jobs" (
    "application_id" INTEGER NOT NULL,
    "id" TEXT NOT NULL,
    "kind" "job_kind" NOT NULL,
    "state" "job_state" NOT NULL DEFAULT 'queued',
    "is_repair" BOOLEAN NOT NULL DEFAULT false,
    "administrator_id" INTEGER NOT NULL,
    "administrator_name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "cancel_requested_at" TIMESTAMPTZ(3),
    "process_id" TEXT NOT NULL,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "done" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER,
    "step" TEXT,
    "error" TEXT,
    "result" JSONB,
    "part_count" INTEGER NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("application_id","id")
);
CREATE INDEX "jobs_finished_at_idx" ON "jobs"("finished_at");
-- At most one export and one check of an application at a time.
CREATE UNIQUE INDEX "jobs_active_key" ON "jobs"("application_id", "kind") WHERE state IN ('queued', 'running');
CREATE INDEX "jobs_stored_idx" ON "jobs"("expires_at") WHERE part_count > 0 AND deleted_at IS NULL;

CREATE TABLE "backup_downloads" (
    "application_id" INTEGER NOT NULL,
    "token_hash" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "administrator_id" INTEGER NOT NULL,
    "session_id" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "backup_downloads_pkey" PRIMARY KEY ("application_id","token_hash")
);
CREATE INDEX "backup_downloads_expires_at_idx" ON "backup_downloads"("expires_at");

CREATE TRIGGER "jobs_audited" AFTER INSERT OR UPDATE OF cancel_requested_at, deleted_at OR DELETE ON "jobs"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Job', 'id', 'process_id,heartbeat_at,done,total,step,part_count,result', '');
CREATE TRIGGER "backup_downloads_audited" AFTER INSERT OR UPDATE OR DELETE ON "backup_downloads"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('BackupDownload', 'job_id', '', 'token_hash');
