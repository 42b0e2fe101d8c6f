ALTER TABLE "users" ADD COLUMN "last_seen_at" TIMESTAMPTZ(3);

DROP TRIGGER "users_audited" ON "users";
CREATE TRIGGER "users_audited" AFTER INSERT OR UPDATE OF login, email, password_hash, full_name, phone, website, facebook_id, twitter_id,
    verified_email, verified_phone, verified_facebook_id, verified_twitter_id, external_user_id, blob_id, custom_data,
    parents_contacts, age_over16, allow_statistics_analysis, allow_sales_activities, tags, granted_tags, roles, blocked_at OR DELETE ON "users"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('User', 'id', 'last_request_at,last_seen_at,login_key', 'password_hash');
