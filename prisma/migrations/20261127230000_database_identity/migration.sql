-- Which of several databases this one is; empty in a single database.
CREATE TABLE "database_identity" (
  "installation" TEXT NOT NULL,
  "number" INTEGER NOT NULL,
  "count" INTEGER NOT NULL,
  "ensures_one_row" BOOLEAN NOT NULL DEFAULT true,

  CONSTRAINT "database_identity_pkey" PRIMARY KEY ("ensures_one_row"),
  CONSTRAINT "database_identity_one_row" CHECK ("ensures_one_row")
);

-- An application may be in another database than the people who administer it.
ALTER TABLE "administrator_roles" DROP CONSTRAINT "administrator_roles_application_id_fkey";
