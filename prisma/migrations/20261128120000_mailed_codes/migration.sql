CREATE TYPE "email_sign_in" AS ENUM ('off', 'users', 'signUp');
CREATE TYPE "code_purpose" AS ENUM ('signIn', 'verification');
ALTER TYPE "mail_template_kind" ADD VALUE 'emailVerification';
ALTER TYPE "mail_template_kind" ADD VALUE 'signInCode';
ALTER TYPE "mail_template_kind" ADD VALUE 'newDevice';

ALTER TABLE "mail_templates" ADD COLUMN "language" TEXT NOT NULL DEFAULT '';
ALTER TABLE "mail_templates" DROP CONSTRAINT "mail_templates_pkey";
ALTER TABLE "mail_templates" ADD CONSTRAINT "mail_templates_pkey" PRIMARY KEY ("application_id", "kind", "language");

ALTER TABLE "applications" ADD COLUMN "email_sign_in" "email_sign_in" NOT NULL DEFAULT 'off';
ALTER TABLE "applications" ADD COLUMN "verify_emails" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "applications" ADD COLUMN "device_mails" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "applications" ADD COLUMN "max_session_minutes" INTEGER;
ALTER TABLE "applications" ADD COLUMN "guest_days" INTEGER;

ALTER TABLE "users" ADD COLUMN "is_guest" BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX "users_guests_idx" ON "users"("application_id", "id") WHERE is_guest;

ALTER TABLE "sessions" ADD COLUMN "device" TEXT;
ALTER TABLE "sessions" ADD COLUMN "network" TEXT;

CREATE TABLE "mailed_codes" (
    "application_id" INTEGER NOT NULL,
    "token_hash" TEXT NOT NULL,
    "link_hash" TEXT,
    "code_hash" TEXT NOT NULL,
    "purpose" "code_purpose" NOT NULL,
    "email" VARCHAR(255) NOT NULL,
    "user_id" INTEGER,
    "network" TEXT NOT NULL,
    "is_mailed" BOOLEAN NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "mailed_codes_pkey" PRIMARY KEY ("application_id","token_hash")
);
CREATE UNIQUE INDEX "mailed_codes_application_id_link_hash_key" ON "mailed_codes"("application_id", "link_hash");
CREATE INDEX "mailed_codes_application_id_email_created_at_idx" ON "mailed_codes"("application_id", "email", "created_at");
CREATE INDEX "mailed_codes_application_id_user_id_idx" ON "mailed_codes"("application_id", "user_id");
CREATE INDEX "mailed_codes_created_at_idx" ON "mailed_codes"("created_at");
ALTER TABLE "mailed_codes" ADD CONSTRAINT "mailed_codes_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
