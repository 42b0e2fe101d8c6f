-- People who use the console, with their roles, sessions and links.
CREATE TYPE "administrator_role_kind" AS ENUM ('owner', 'developer', 'support', 'viewer');
CREATE TYPE "administrator_link_purpose" AS ENUM ('setup', 'invitation', 'passwordReset');
CREATE TABLE "administrators" (
    "id" SERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT,
    "encrypted_totp" TEXT,
    "has_totp" BOOLEAN NOT NULL DEFAULT false,
    "totp_step" BIGINT NOT NULL DEFAULT 0,
    "recovery_hashes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "signed_in_at" TIMESTAMPTZ(3),
    CONSTRAINT "administrators_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "administrator_roles" (
    "id" SERIAL NOT NULL,
    "administrator_id" INTEGER NOT NULL,
    "application_id" INTEGER,
    "role" "administrator_role_kind" NOT NULL,
    CONSTRAINT "administrator_roles_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "administrator_sessions" (
    "id" SERIAL NOT NULL,
    "token_hash" TEXT NOT NULL,
    "administrator_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "administrator_sessions_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "administrator_links" (
    "token_hash" TEXT NOT NULL,
    "purpose" "administrator_link_purpose" NOT NULL,
    "administrator_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "administrator_links_pkey" PRIMARY KEY ("token_hash")
);
CREATE UNIQUE INDEX "administrators_email_key" ON "administrators"("email");
CREATE INDEX "administrator_roles_application_id_idx" ON "administrator_roles"("application_id");
CREATE UNIQUE INDEX "administrator_roles_administrator_id_application_id_role_key" ON "administrator_roles"("administrator_id", "application_id", "role");
CREATE UNIQUE INDEX "administrator_sessions_token_hash_key" ON "administrator_sessions"("token_hash");
CREATE INDEX "administrator_sessions_administrator_id_idx" ON "administrator_sessions"("administrator_id");
CREATE INDEX "administrator_sessions_seen_at_idx" ON "administrator_sessions"("seen_at");
CREATE INDEX "administrator_links_administrator_id_idx" ON "administrator_links"("administrator_id");
CREATE INDEX "administrator_links_expires_at_idx" ON "administrator_links"("expires_at");
ALTER TABLE "administrator_roles" ADD CONSTRAINT "administrator_roles_administrator_id_fkey" FOREIGN KEY ("administrator_id") REFERENCES "administrators"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "administrator_roles" ADD CONSTRAINT "administrator_roles_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "administrator_sessions" ADD CONSTRAINT "administrator_sessions_administrator_id_fkey" FOREIGN KEY ("administrator_id") REFERENCES "administrators"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "administrator_links" ADD CONSTRAINT "administrator_links_administrator_id_fkey" FOREIGN KEY ("administrator_id") REFERENCES "administrators"("id") ON DELETE CASCADE ON UPDATE CASCADE;
