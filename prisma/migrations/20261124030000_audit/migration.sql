-- Changes by administrators, API keys and the operator.
CREATE TYPE "audit_actor_kind" AS ENUM ('administrator', 'apiKey', 'operator');
CREATE TYPE "audit_action" AS ENUM ('create', 'update', 'delete', 'read');
CREATE TABLE "audit_entries" (
    "application_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor_kind" "audit_actor_kind" NOT NULL,
    "actor_id" INTEGER,
    "network" TEXT,
    "reason" TEXT,
    "action" "audit_action" NOT NULL,
    "subject" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "before" JSONB,
    "after" JSONB,
    "seq" INTEGER,
    "hash" BYTEA,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("application_id","id")
);
CREATE UNIQUE INDEX "audit_entries_application_id_seq_key" ON "audit_entries"("application_id", "seq");
CREATE INDEX "audit_entries_application_id_actor_kind_actor_id_id_idx" ON "audit_entries"("application_id", "actor_kind", "actor_id", "id");
CREATE INDEX "audit_entries_application_id_subject_subject_id_id_idx" ON "audit_entries"("application_id", "subject", "subject_id", "id");
CREATE INDEX "audit_entries_application_id_at_idx" ON "audit_entries"("application_id", "at");
CREATE INDEX "audit_entries_unchained_idx" ON "audit_entries"("application_id", "id") WHERE seq IS NULL;
CREATE TABLE "audit_chains" (
    "application_id" INTEGER NOT NULL,
    "start_seq" INTEGER NOT NULL,
    "start_hash" BYTEA NOT NULL,
    "end_seq" INTEGER NOT NULL,
    "end_hash" BYTEA NOT NULL,
    "signature" BYTEA NOT NULL,

    CONSTRAINT "audit_chains_pkey" PRIMARY KEY ("application_id")
);

-- Arguments: type of the object, columns of its id, columns that are not recorded, columns with secrets.
CREATE FUNCTION "record_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    actor jsonb := current_setting('atrium.actor');
    unrecorded text[] := string_to_array(TG_ARGV[2], ',') || '{application_id,updated_at}'::text[];
    secrets text[] := string_to_array(TG_ARGV[3], ',');
    before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) - unrecorded END;
    after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) - unrecorded END;
    row jsonb := CASE WHEN TG_OP = 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END;
    shown text[];
BEGIN
    SELECT array_agg(key) INTO shown FROM jsonb_object_keys(coalesce(after, before)) AS key
        WHERE TG_OP <> 'UPDATE' OR before -> key IS DISTINCT FROM after -> key;
    IF shown IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO audit_entries (application_id, actor_kind, actor_id, network, reason, action, subject, subject_id,
        before, after)
    VALUES (
        CASE WHEN TG_TABLE_NAME = 'applications' THEN (row ->> 'id')::int
            WHEN TG_TABLE_NAME LIKE 'administrator%' THEN 0
            ELSE (row ->> 'application_id')::int END,
        (actor ->> 'kind')::audit_actor_kind, (actor ->> 'id')::int, actor ->> 'network', actor ->> 'reason',
        CASE TG_OP WHEN 'INSERT' THEN 'create' WHEN 'UPDATE' THEN 'update' ELSE 'delete' END::audit_action,
        TG_ARGV[0],
        (SELECT string_agg(row ->> name, '/') FROM unnest(string_to_array(TG_ARGV[1], ',')) AS name),
        (SELECT jsonb_object_agg(key, CASE WHEN key = ANY(secrets) AND value <> 'null' THEN '"redacted"' ELSE value END)
            FROM jsonb_each(before) WHERE key = ANY(shown)),
        (SELECT jsonb_object_agg(key, CASE WHEN key = ANY(secrets) AND value <> 'null' THEN '"redacted"' ELSE value END)
            FROM jsonb_each(after) WHERE key = ANY(shown)));
    RETURN NULL;
END $$;

-- Texts of messages are recorded nowhere else than in the message. Not for rows that another deletion removes (cascades): the entry of that deletion is enough.
CREATE TRIGGER "applications_audited" AFTER INSERT OR UPDATE OR DELETE ON "applications"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Application', 'id', 'user_count,catalogue_version,imported_entries', 'auth_secret');
CREATE TRIGGER "api_keys_audited" AFTER INSERT OR UPDATE OR DELETE ON "api_keys"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('ApiKey', 'id', '', 'key_hash');
CREATE TRIGGER "identity_providers_audited" AFTER INSERT OR UPDATE OR DELETE ON "identity_providers"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('IdentityProvider', 'provider', '', 'settings,sealed');
CREATE TRIGGER "administrators_audited" AFTER INSERT OR UPDATE OR DELETE ON "administrators"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Administrator', 'id', 'totp_step,signed_in_at', 'password_hash,encrypted_totp,recovery_hashes');
CREATE TRIGGER "administrator_roles_audited" AFTER INSERT OR UPDATE OR DELETE ON "administrator_roles"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('AdministratorRole', 'administrator_id,role', 'id', '');
CREATE TRIGGER "administrator_sessions_audited" AFTER INSERT OR UPDATE OR DELETE ON "administrator_sessions"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('AdministratorSession', 'id', 'seen_at,confirmed_at', 'token_hash');
CREATE TRIGGER "administrator_links_audited" AFTER INSERT OR UPDATE OR DELETE ON "administrator_links"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('AdministratorLink', 'administrator_id,purpose', '', 'token_hash');
CREATE TRIGGER "users_audited" AFTER INSERT OR UPDATE OF login, email, password_hash, full_name, phone, website, facebook_id, twitter_id,
    verified_email, verified_phone, verified_facebook_id, verified_twitter_id, external_user_id, blob_id, custom_data,
    parents_contacts, age_over16, allow_statistics_analysis, allow_sales_activities, tags, granted_tags, blocked_at OR DELETE ON "users"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('User', 'id', 'last_request_at,login_key', 'password_hash');
CREATE TRIGGER "sessions_audited" AFTER INSERT OR UPDATE OF user_id, generation OR DELETE ON "sessions"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Session', 'id', '', 'token_hash');
CREATE TRIGGER "password_resets_audited" AFTER INSERT OR UPDATE OR DELETE ON "password_resets"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('PasswordReset', 'user_id', '', 'token_hash');
CREATE TRIGGER "contacts_audited" AFTER INSERT OR UPDATE OR DELETE ON "contacts"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Contact', 'user_id,udid,phone', 'position', '');
CREATE TRIGGER "geodata_audited" AFTER INSERT OR UPDATE OR DELETE ON "geodata"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Geodatum', 'id', 'is_latest', '');
CREATE TRIGGER "assistants_audited" AFTER INSERT OR UPDATE OR DELETE ON "assistants"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Assistant', 'id', '', 'sealed_api_key');
CREATE TRIGGER "dialogs_audited" AFTER INSERT OR UPDATE OF type, name, photo, user_id, is_join_required, data_class_key, data OR DELETE ON "dialogs"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Dialog', 'id', 'last_seq,message_count,last_message_at,member_version,pair_key', '');
CREATE TRIGGER "members_audited" AFTER INSERT OR UPDATE OF is_admin, left_at OR DELETE ON "members"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('DialogMember', 'dialog_id,user_id', 'read_seq,delivered_seq,unread_own_seq,undelivered_own_seq,sent_count,settled_count,hidden_seq', '');
CREATE TRIGGER "muted_dialogs_audited" AFTER INSERT OR UPDATE OR DELETE ON "muted_dialogs"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('MutedDialog', 'dialog_id,user_id', '', '');
CREATE TRIGGER "messages_audited" AFTER INSERT OR UPDATE OR DELETE ON "messages"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Message', 'id', '', 'text,attachments,custom_fields');
CREATE TRIGGER "hidden_messages_audited" AFTER INSERT OR UPDATE OR DELETE ON "hidden_messages"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('HiddenMessage', 'dialog_id,seq,user_id', '', '');
CREATE TRIGGER "reactions_audited" AFTER INSERT OR UPDATE OR DELETE ON "reactions"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Reaction', 'message_id,user_id,name', 'position', '');
CREATE TRIGGER "record_classes_audited" AFTER INSERT OR UPDATE OR DELETE ON "record_classes"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('RecordClass', 'name', 'version,has_open,has_private,has_shared', '');
CREATE TRIGGER "class_fields_audited" AFTER INSERT OR UPDATE OR DELETE ON "class_fields"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('ClassField', 'class_key,name', 'slot,index_state', '');
CREATE TRIGGER "class_indexes_audited" AFTER INSERT OR UPDATE OR DELETE ON "class_indexes"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('ClassIndex', 'class_key,fields', 'slot,state', '');
CREATE TRIGGER "records_audited" AFTER INSERT OR UPDATE OF parent_id, user_id, readers, updaters, deleters, fields OR DELETE ON "records"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Record', 'id', 'is_open,n1,n2,n3,n4,n5,n6,n7,n8,t1,t2,t3,t4,t5,t6,t7,t8,p1,p2,c1,c2,c3,c4,c5,c6,c7,c8', '');
CREATE TRIGGER "blobs_audited" AFTER INSERT OR UPDATE OR DELETE ON "blobs"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Blob', 'id', 'storage_key', '');
CREATE TRIGGER "push_settings_audited" AFTER INSERT OR UPDATE OR DELETE ON "push_settings"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('PushSettings', 'environment,provider', '', 'sealed');
CREATE TRIGGER "push_tokens_audited" AFTER INSERT OR UPDATE OR DELETE ON "push_tokens"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('PushToken', 'id', '', 'sequence,keys');
CREATE TRIGGER "push_subscriptions_audited" AFTER INSERT OR UPDATE OR DELETE ON "push_subscriptions"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('PushSubscription', 'id', '', 'sequence,keys,sequence_hash');
CREATE TRIGGER "events_audited" AFTER INSERT OR UPDATE OR DELETE ON "events"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Event', 'id', 'due_at,last_send_id,last_sent_at,occured_count', '');
CREATE TRIGGER "migrations_audited" AFTER INSERT OR UPDATE OR DELETE ON "migrations"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Migration', 'application_id', 'run_id,cursor,counts', '');
