-- CreateEnum
CREATE TYPE "phone_matching" AS ENUM ('identical', 'e164');

-- CreateEnum
CREATE TYPE "daily_usage_kind" AS ENUM ('contacts', 'aiTokens');

-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "phone_matching" "phone_matching" NOT NULL DEFAULT 'identical',
ADD COLUMN     "phone_region" TEXT;

-- CreateTable
CREATE TABLE "contacts" (
    "application_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "udid" TEXT NOT NULL,
    "phone" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "position" BIGSERIAL NOT NULL,

    CONSTRAINT "contacts_pkey" PRIMARY KEY ("application_id","user_id","udid","phone")
);

-- CreateTable
CREATE TABLE "daily_usage" (
    "application_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "kind" "daily_usage_kind" NOT NULL,
    "day" DATE NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "daily_usage_pkey" PRIMARY KEY ("application_id","user_id","kind","day")
);

-- CreateIndex
CREATE INDEX "contacts_application_id_user_id_udid_position_idx" ON "contacts"("application_id", "user_id", "udid", "position");

-- CreateIndex
CREATE INDEX "daily_usage_day_idx" ON "daily_usage"("day");

-- AddForeignKey
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Numbers that are one number in E.164 end alike, however they are written: the last digits find the few that may be.
CREATE INDEX "users_application_id_phone_tail_idx" ON "users"("application_id", right(regexp_replace("phone", '[^0-9]', '', 'g'), 7), "id");
