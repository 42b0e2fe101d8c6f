ALTER TABLE "applications" ADD COLUMN "app_url" TEXT;

CREATE TABLE "ai_usage" (
    "application_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "assistant_id" TEXT NOT NULL,
    "requests" INTEGER NOT NULL,
    "failures" INTEGER NOT NULL,
    "tokens" BIGINT NOT NULL,

    CONSTRAINT "ai_usage_pkey" PRIMARY KEY ("application_id", "day", "assistant_id")
);
CREATE INDEX "ai_usage_day_idx" ON "ai_usage"("day");

CREATE INDEX "daily_usage_application_id_kind_day_used_idx" ON "daily_usage"("application_id", "kind", "day", "used" DESC);

CREATE TYPE "mail_template_kind" AS ENUM ('passwordReset');

CREATE TABLE "mail_templates" (
    "application_id" INTEGER NOT NULL,
    "kind" "mail_template_kind" NOT NULL,
    "subject" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "html" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mail_templates_pkey" PRIMARY KEY ("application_id", "kind")
);
ALTER TABLE "mail_templates" ADD CONSTRAINT "mail_templates_application_id_fkey"
    FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TRIGGER "mail_templates_audited" AFTER INSERT OR UPDATE OR DELETE ON "mail_templates"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('MailTemplate', 'kind', '', '');
