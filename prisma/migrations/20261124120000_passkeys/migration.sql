-- Passkeys of administrators (WebAuthn).
ALTER TABLE "administrators" ADD COLUMN "passkey_handle" TEXT;
CREATE TYPE "passkey_challenge_purpose" AS ENUM ('registration', 'confirmation', 'signIn');
CREATE TABLE "administrator_passkeys" (
    "id" SERIAL NOT NULL,
    "administrator_id" INTEGER NOT NULL,
    "credential_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "relying_party_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "counter" BIGINT NOT NULL DEFAULT 0,
    "transports" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "is_backed_up" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "administrator_passkeys_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "administrator_passkeys_credential_id_key" ON "administrator_passkeys"("credential_id");
CREATE INDEX "administrator_passkeys_administrator_id_idx" ON "administrator_passkeys"("administrator_id");
ALTER TABLE "administrator_passkeys" ADD CONSTRAINT "administrator_passkeys_administrator_id_fkey" FOREIGN KEY ("administrator_id") REFERENCES "administrators"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "passkey_challenges" (
    "challenge_hash" TEXT NOT NULL,
    "purpose" "passkey_challenge_purpose" NOT NULL,
    "session_id" INTEGER,
    "browser_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "passkey_challenges_pkey" PRIMARY KEY ("challenge_hash")
);
CREATE INDEX "passkey_challenges_session_id_idx" ON "passkey_challenges"("session_id");
CREATE INDEX "passkey_challenges_browser_hash_idx" ON "passkey_challenges"("browser_hash");
CREATE INDEX "passkey_challenges_created_at_idx" ON "passkey_challenges"("created_at");
ALTER TABLE "passkey_challenges" ADD CONSTRAINT "passkey_challenges_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "administrator_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The use of a passkey is recorded as the session that it starts.
CREATE TRIGGER "administrator_passkeys_audited" AFTER INSERT OR UPDATE OR DELETE ON "administrator_passkeys"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('AdministratorPasskey', 'id', 'public_key,counter,is_backed_up,last_used_at', '');
