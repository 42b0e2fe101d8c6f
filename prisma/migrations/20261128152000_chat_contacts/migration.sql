ALTER TYPE "outbox_kind" ADD VALUE 'contactChanged';

CREATE TABLE "chat_contacts" (
    "application_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "is_accepted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chat_contacts_pkey" PRIMARY KEY ("application_id","user_id","contact_id")
);
CREATE INDEX "chat_contacts_application_id_contact_id_idx" ON "chat_contacts"("application_id", "contact_id");
ALTER TABLE "chat_contacts" ADD CONSTRAINT "chat_contacts_application_id_user_id_fkey" FOREIGN KEY ("application_id", "user_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "chat_contacts" ADD CONSTRAINT "chat_contacts_application_id_contact_id_fkey" FOREIGN KEY ("application_id", "contact_id") REFERENCES "users"("application_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE TRIGGER "chat_contacts_audited" AFTER INSERT OR UPDATE OR DELETE ON "chat_contacts"
    FOR EACH ROW WHEN (current_setting('atrium.actor', true) <> '' AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION "record_change"('ChatContact', 'user_id,contact_id', '', '');
