ALTER TABLE "messages" ADD COLUMN "client_id" TEXT;
-- Chosen ids that are later than their message; none while clocks agree. Assigned ids never are.
CREATE INDEX "messages_early_idx" ON "messages"("application_id", "dialog_id", "id", "seq") WHERE left(id, 8) > lpad(to_hex(date_sent), 8, '0');
