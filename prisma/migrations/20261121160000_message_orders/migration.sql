-- CreateIndex
CREATE INDEX "messages_application_id_dialog_id_id_idx" ON "messages"("application_id", "dialog_id", "id");

-- CreateIndex
CREATE INDEX "messages_application_id_dialog_id_updated_at_id_idx" ON "messages"("application_id", "dialog_id", "updated_at", "id");
