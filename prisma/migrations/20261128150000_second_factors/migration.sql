ALTER TABLE "applications" ADD COLUMN "second_factors" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "applications" ADD COLUMN "second_factor_roles" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "applications" ADD COLUMN "passkey_origins" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "applications" ADD COLUMN "strict_passwords" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "users" ADD COLUMN "needs_second_factor" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "sessions" ADD COLUMN "confirmed_at" TIMESTAMPTZ(3);
ALTER TABLE "sessions" ADD COLUMN "is_multi_factor" BOOLEAN NOT NULL DEFAULT false;

CREATE TABLE "user_factors" (
    "application_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "encrypted_totp" TEXT,
    "has_totp" BOOLEAN NOT NULL DEFAULT false,
    "totp_step" BIGINT NOT NULL DEFAULT 0,
    "code_attempts" INTEGER NOT NULL DEFAULT 0,
    "codes_since" TIMESTAMPTZ(3),
    "recovery_hashes" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "passkey_handle" TEXT,

    CONSTRAINT "user_factors_pkey" PRIMARY KEY ("application_id","user_id")
);
ALTER TABLE "user_factors" ADD CONSTRAINT "user_factors_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE TRIGGER "user_factors_audited" AFTER INSERT OR UPDATE OR DELETE ON "user_factors"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('UserFactor', 'user_id', 'totp_step,code_attempts,codes_since', 'encrypted_totp,recovery_hashes');

CREATE TABLE "user_passkeys" (
    "application_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "credential_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "relying_party_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "counter" BIGINT NOT NULL DEFAULT 0,
    "transports" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "is_backed_up" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "user_passkeys_pkey" PRIMARY KEY ("application_id","id")
);
CREATE UNIQUE INDEX "user_passkeys_application_id_credential_id_key" ON "user_passkeys"("application_id", "credential_id");
CREATE INDEX "user_passkeys_application_id_user_id_idx" ON "user_passkeys"("application_id", "user_id");
ALTER TABLE "user_passkeys" ADD CONSTRAINT "user_passkeys_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE TRIGGER "user_passkeys_audited" AFTER INSERT OR UPDATE OR DELETE ON "user_passkeys"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('UserPasskey', 'user_id,id', 'counter,last_used_at', 'public_key');

CREATE TYPE "challenge_purpose" AS ENUM ('passkey', 'secondFactor', 'confirmation', 'registration', 'provider');
CREATE TABLE "sign_in_challenges" (
    "application_id" INTEGER NOT NULL,
    "token_hash" TEXT NOT NULL,
    "purpose" "challenge_purpose" NOT NULL,
    "challenge" TEXT NOT NULL,
    "user_id" INTEGER,
    "identity" JSONB,
    "session_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_challenges_pkey" PRIMARY KEY ("application_id","token_hash")
);
CREATE INDEX "sign_in_challenges_application_id_user_id_idx" ON "sign_in_challenges"("application_id", "user_id");
CREATE INDEX "sign_in_challenges_created_at_idx" ON "sign_in_challenges"("created_at");
ALTER TABLE "sign_in_challenges" ADD CONSTRAINT "sign_in_challenges_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TYPE "issuer_kind" AS ENUM ('openid', 'github');
ALTER TABLE "token_issuers" ADD COLUMN "kind" "issuer_kind" NOT NULL DEFAULT 'openid';
ALTER TABLE "token_issuers" ADD COLUMN "client_id" TEXT;
ALTER TABLE "token_issuers" ADD COLUMN "encrypted_secret" TEXT;
ALTER TABLE "token_issuers" ADD COLUMN "scopes" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "token_issuers" ADD COLUMN "return_addresses" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
DROP TRIGGER "token_issuers_audited" ON "token_issuers";
CREATE TRIGGER "token_issuers_audited" AFTER INSERT OR UPDATE OR DELETE ON "token_issuers"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('TokenIssuer', 'name', '', 'encrypted_secret');
