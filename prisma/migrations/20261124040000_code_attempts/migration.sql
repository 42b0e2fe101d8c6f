-- An attacker who knows the password must not be able to try all codes.
ALTER TABLE "administrators" ADD COLUMN "code_attempts" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "administrators" ADD COLUMN "codes_since" TIMESTAMPTZ(3);
