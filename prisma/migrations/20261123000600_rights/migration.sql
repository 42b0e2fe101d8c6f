-- Defaults are the documented behavior, which applications from before and archives without the columns keep;
-- the service creates new applications with 'granted' and 'owner'.
CREATE TYPE "group_tags" AS ENUM ('granted', 'self');
CREATE TYPE "files_by_number" AS ENUM ('owner', 'session');

ALTER TABLE "applications"
  ADD COLUMN "groups" "group_tags" NOT NULL DEFAULT 'self',
  ADD COLUMN "files_by_number" "files_by_number" NOT NULL DEFAULT 'session';

ALTER TABLE "users" ADD COLUMN "granted_tags" TEXT[] DEFAULT ARRAY[]::TEXT[];
-- Not valid: no row has granted tags yet, so a scan under the lock would find nothing.
ALTER TABLE "users" ADD CONSTRAINT "users_granted_tags_check" CHECK (granted_tags <@ tags) NOT VALID;
