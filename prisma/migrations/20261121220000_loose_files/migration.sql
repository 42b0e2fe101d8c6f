-- CreateTable
CREATE TABLE "loose_files" (
    "application_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "remove_after" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "loose_files_pkey" PRIMARY KEY ("application_id","key")
);

-- CreateIndex
CREATE INDEX "loose_files_remove_after_idx" ON "loose_files"("remove_after");
