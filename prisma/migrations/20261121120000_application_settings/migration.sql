-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "password_reset" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "session_minutes" INTEGER;

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "generation" INTEGER NOT NULL DEFAULT 0;
