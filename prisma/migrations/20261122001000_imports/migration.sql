-- An application that is being imported lets nobody in until all of it is there.
ALTER TABLE "applications" ADD COLUMN     "import_id" TEXT,
ADD COLUMN     "imported_entries" INTEGER NOT NULL DEFAULT 0;
