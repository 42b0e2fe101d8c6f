CREATE TABLE "roles" (
    "application_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "roles_pkey" PRIMARY KEY ("application_id","name")
);
ALTER TABLE "roles" ADD CONSTRAINT "roles_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE TRIGGER "roles_audited" AFTER INSERT OR UPDATE OR DELETE ON "roles"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Role', 'name', '', '');

ALTER TABLE "applications" ADD COLUMN "verified_email_required" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "applications" ADD COLUMN "dialog_creators" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "api_keys" ADD COLUMN "acts_for_roles" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "users" ADD COLUMN "roles" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
CREATE INDEX "users_application_id_roles_idx" ON "users" USING GIN ("application_id" int4_ops, "roles");

DROP TRIGGER "users_audited" ON "users";
CREATE TRIGGER "users_audited" AFTER INSERT OR UPDATE OF login, email, password_hash, full_name, phone, website, facebook_id, twitter_id,
    verified_email, verified_phone, verified_facebook_id, verified_twitter_id, external_user_id, blob_id, custom_data,
    parents_contacts, age_over16, allow_statistics_analysis, allow_sales_activities, tags, granted_tags, roles, blocked_at OR DELETE ON "users"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('User', 'id', 'last_request_at,login_key', 'password_hash');
