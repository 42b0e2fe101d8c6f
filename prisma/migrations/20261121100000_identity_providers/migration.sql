-- CreateEnum
CREATE TYPE "identity_provider_kind" AS ENUM ('facebook', 'twitter', 'firebase_phone');

-- CreateTable
CREATE TABLE "identity_providers" (
    "application_id" INTEGER NOT NULL,
    "provider" "identity_provider_kind" NOT NULL,
    "settings" JSONB NOT NULL,
    "endpoint" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_providers_pkey" PRIMARY KEY ("application_id","provider")
);

-- CreateIndex
CREATE INDEX IF NOT EXISTS "users_application_id_phone_idx" ON "users"("application_id", "phone");

-- AddForeignKey
ALTER TABLE "identity_providers" ADD CONSTRAINT "identity_providers_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;
