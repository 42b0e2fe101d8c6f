-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "ai_daily_tokens" INTEGER NOT NULL DEFAULT 200000,
ADD COLUMN     "answer_assist" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "gateway" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "summarize" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "translate" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "assistants" (
    "application_id" INTEGER NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "is_trusted" BOOLEAN NOT NULL,
    "model" TEXT NOT NULL,
    "sealed_api_key" TEXT,
    "instructions" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "assistants_pkey" PRIMARY KEY ("application_id","id")
);

-- AddForeignKey
ALTER TABLE "assistants" ADD CONSTRAINT "assistants_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;
