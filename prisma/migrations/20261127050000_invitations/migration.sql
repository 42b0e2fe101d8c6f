-- Invitations say themselves who is invited to what, so that they reveal no account. Accounts are created when one is accepted.
ALTER TABLE "administrator_links" ADD COLUMN "id" SERIAL NOT NULL;
ALTER TABLE "administrator_links" ADD COLUMN "inviter_id" INTEGER REFERENCES "administrators"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "administrator_links" ADD COLUMN "email" TEXT;
ALTER TABLE "administrator_links" ADD COLUMN "name" TEXT;
ALTER TABLE "administrator_links" ADD COLUMN "roles" JSONB NOT NULL DEFAULT '[]';
UPDATE "administrator_links" l SET administrator_id = NULL, email = a.email, name = a.name, roles = (
    SELECT coalesce(jsonb_agg(jsonb_build_object('applicationId', r.application_id, 'role', r.role)), '[]')
    FROM administrator_roles r WHERE r.administrator_id = a.id)
FROM "administrators" a WHERE a.id = l.administrator_id AND a.password_hash IS NULL AND l.purpose = 'invitation';
DELETE FROM "administrators" WHERE password_hash IS NULL;
CREATE UNIQUE INDEX "administrator_links_id_key" ON "administrator_links"("id");
CREATE INDEX "administrator_links_inviter_id_idx" ON "administrator_links"("inviter_id");
CREATE INDEX "administrator_links_email_idx" ON "administrator_links"("email");
DROP TRIGGER "administrator_links_audited" ON "administrator_links";
CREATE TRIGGER "administrator_links_audited" AFTER INSERT OR UPDATE OR DELETE ON "administrator_links"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('AdministratorLink', 'purpose,id', '', 'token_hash');
DROP TRIGGER "administrator_roles_audited" ON "administrator_roles";
CREATE TRIGGER "administrator_roles_audited" AFTER INSERT OR UPDATE OR DELETE ON "administrator_roles"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('AdministratorRole', 'administrator_id,application_id,role', 'id', '');

-- Mails with texts of an application to unproven addresses.
ALTER TYPE "daily_usage_kind" ADD VALUE 'ownTexts';
