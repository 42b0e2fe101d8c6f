ALTER TABLE "api_keys"
  ADD COLUMN "previous_hash" TEXT,
  ADD COLUMN "previous_expires_at" TIMESTAMPTZ(3),
  ADD COLUMN "scopes" TEXT[] NOT NULL DEFAULT ARRAY['*']::TEXT[],
  ADD COLUMN "acts_for_all" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "acts_for" INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
  ADD COLUMN "networks" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  ADD COLUMN "expires_at" TIMESTAMPTZ(3),
  ADD COLUMN "last_used_at" TIMESTAMPTZ(3);

CREATE UNIQUE INDEX "api_keys_previous_hash_key" ON "api_keys"("previous_hash");

DROP TRIGGER "api_keys_audited" ON "api_keys";
CREATE TRIGGER "api_keys_audited" AFTER INSERT OR UPDATE OR DELETE ON "api_keys"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('ApiKey', 'id', 'last_used_at', 'key_hash,previous_hash');
