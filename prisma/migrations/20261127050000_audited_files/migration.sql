-- Entries of files show neither what opens nor what describes them, and no storage keys.
CREATE FUNCTION "audited_value"("column" text, "value" jsonb, "secrets" text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN "column" = ANY("secrets") AND "value" <> 'null' THEN '"redacted"'
        WHEN "column" IN ('fields', 'data') AND jsonb_typeof("value") = 'object' THEN (
            SELECT coalesce(jsonb_object_agg(name, CASE jsonb_typeof(field) WHEN 'object' THEN field - 'key' ELSE field END), '{}')
            FROM jsonb_each("value") AS fields (name, field))
        ELSE "value" END
$$;

-- Arguments: type of the object, columns of its id, columns that are not recorded, columns with secrets.
CREATE OR REPLACE FUNCTION "record_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    actor jsonb := current_setting('atrium.actor');
    -- Entries of administrators are outside of all applications, so the application of a role is recorded.
    unrecorded text[] := string_to_array(TG_ARGV[2], ',') || '{updated_at}'::text[]
        || CASE WHEN TG_TABLE_NAME LIKE 'administrator%' THEN '{}' ELSE '{application_id}' END::text[];
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
        (SELECT jsonb_object_agg(key, audited_value(key, value, secrets)) FROM jsonb_each(before) WHERE key = ANY(shown)),
        (SELECT jsonb_object_agg(key, audited_value(key, value, secrets)) FROM jsonb_each(after) WHERE key = ANY(shown)));
    RETURN NULL;
END $$;

DROP TRIGGER "blobs_audited" ON "blobs";
CREATE TRIGGER "blobs_audited" AFTER INSERT OR UPDATE OR DELETE ON "blobs"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('Blob', 'id', 'storage_key', 'uid,name,tags');
