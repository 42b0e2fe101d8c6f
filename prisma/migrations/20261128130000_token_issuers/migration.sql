CREATE TABLE "token_issuers" (
    "application_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "keys_url" TEXT,
    "audiences" TEXT[] NOT NULL,
    "algorithms" TEXT[] NOT NULL,
    "key_ids" TEXT[] NOT NULL,
    "subject_claim" TEXT NOT NULL,
    "is_single_use" BOOLEAN NOT NULL,
    "signs_up" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "token_issuers_pkey" PRIMARY KEY ("application_id","name")
);
CREATE UNIQUE INDEX "token_issuers_application_id_issuer_key" ON "token_issuers"("application_id", "issuer");
ALTER TABLE "token_issuers" ADD CONSTRAINT "token_issuers_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE TRIGGER "token_issuers_audited" AFTER INSERT OR UPDATE OR DELETE ON "token_issuers"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('TokenIssuer', 'name', '', '');

CREATE TABLE "user_identities" (
    "application_id" INTEGER NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_identities_pkey" PRIMARY KEY ("application_id","issuer","subject")
);
CREATE INDEX "user_identities_application_id_user_id_idx" ON "user_identities"("application_id", "user_id");
ALTER TABLE "user_identities" ADD CONSTRAINT "user_identities_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE TRIGGER "user_identities_audited" AFTER INSERT OR UPDATE OR DELETE ON "user_identities"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('UserIdentity', 'user_id', '', '');

CREATE TABLE "used_tokens" (
    "application_id" INTEGER NOT NULL,
    "token_hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_tokens_pkey" PRIMARY KEY ("application_id","token_hash")
);
CREATE INDEX "used_tokens_expires_at_idx" ON "used_tokens"("expires_at");
