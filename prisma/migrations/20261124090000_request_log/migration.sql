-- Failed and slow requests. `application_id` 0: requests without an application.
CREATE TYPE "request_transport" AS ENUM ('rest', 'graphql', 'websocket', 'page');
CREATE TYPE "request_caller" AS ENUM ('anonymous', 'refused', 'session', 'user', 'apiKey', 'administrator');
CREATE TABLE "request_log" (
    "application_id" INTEGER NOT NULL,
    "id" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "request_id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "transport" "request_transport" NOT NULL,
    "method" TEXT,
    "route" TEXT NOT NULL,
    "path" TEXT,
    "operation" TEXT,
    "fields" TEXT[] NOT NULL,
    "status" INTEGER NOT NULL,
    "http_status" INTEGER,
    "errors" JSONB NOT NULL,
    "duration_ms" DOUBLE PRECISION NOT NULL,
    "is_slow" BOOLEAN NOT NULL,
    "is_cut_off" BOOLEAN NOT NULL,
    "caller" "request_caller" NOT NULL,
    "user_id" INTEGER,
    "api_key_id" INTEGER,
    "administrator_id" INTEGER,
    "session_id" INTEGER,
    "network" TEXT,
    "user_agent" TEXT,
    "response_bytes" BIGINT,

    CONSTRAINT "request_log_pkey" PRIMARY KEY ("application_id","id")
);
CREATE INDEX "request_log_application_id_at_id_idx" ON "request_log"("application_id", "at", "id");
CREATE INDEX "request_log_application_id_request_id_idx" ON "request_log"("application_id", "request_id");
CREATE INDEX "request_log_application_id_user_id_at_id_idx" ON "request_log"("application_id", "user_id", "at", "id");

-- The last id of an application. Its row is locked while ids are assigned, so that rows become visible in their order.
CREATE TABLE "request_log_ends" (
    "application_id" INTEGER NOT NULL,
    "last_id" BIGINT NOT NULL,

    CONSTRAINT "request_log_ends_pkey" PRIMARY KEY ("application_id")
);

CREATE TABLE "request_log_hours" (
    "application_id" INTEGER NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "ordinary" INTEGER NOT NULL,
    "severe" INTEGER NOT NULL,
    "skipped" INTEGER NOT NULL,

    CONSTRAINT "request_log_hours_pkey" PRIMARY KEY ("application_id","hour")
);
