-- A link works while its user has the address that it was mailed to. Links of before are dead: they live for an hour.
DELETE FROM "password_resets";
ALTER TABLE "password_resets" ADD COLUMN "email" VARCHAR(255) NOT NULL;
CREATE INDEX "password_resets_application_id_email_idx" ON "password_resets"("application_id", "email");
