-- Figures of the console: events per hour, counted from the outbox.
CREATE TABLE "activity_hours" (
    "application_id" INTEGER NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "messages" INTEGER NOT NULL,
    "reactions" INTEGER NOT NULL,
    "record_changes" INTEGER NOT NULL,

    CONSTRAINT "activity_hours_pkey" PRIMARY KEY ("application_id","hour")
);
CREATE INDEX "activity_hours_hour_idx" ON "activity_hours"("hour");
CREATE TABLE "activity_cursor" (
    "id" INTEGER NOT NULL,
    "position" BIGINT NOT NULL,

    CONSTRAINT "activity_cursor_pkey" PRIMARY KEY ("id")
);
INSERT INTO "activity_cursor" ("id", "position") VALUES (1, 0);
