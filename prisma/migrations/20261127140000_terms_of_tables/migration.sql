ALTER TABLE "loose_files" RENAME TO "unclaimed_files";
ALTER INDEX "loose_files_pkey" RENAME TO "unclaimed_files_pkey";
ALTER INDEX "loose_files_remove_after_idx" RENAME TO "unclaimed_files_remove_after_idx";
ALTER TABLE "push_cursor" RENAME COLUMN "held_until" TO "lease_expires_at";
