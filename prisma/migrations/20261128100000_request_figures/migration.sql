-- The class of a list of records, and the fields of the index that would make it fast.
ALTER TABLE "request_log" ADD COLUMN "class_name" TEXT, ADD COLUMN "missing_index" TEXT[] NOT NULL DEFAULT '{}';

-- All requests of an hour by their duration; `application_id` 0: those without an application.
CREATE TABLE "request_figures" (
    "application_id" INTEGER NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "bucket" INTEGER NOT NULL,
    "succeeded" INTEGER NOT NULL,
    "refused" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,

    CONSTRAINT "request_figures_pkey" PRIMARY KEY ("application_id","hour","bucket")
);
CREATE INDEX "request_figures_hour_idx" ON "request_figures"("hour");

-- The slowest requests.
CREATE INDEX "request_log_application_id_duration_ms_id_idx" ON "request_log"("application_id", "duration_ms", "id");
