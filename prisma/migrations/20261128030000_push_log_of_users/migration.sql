-- Deliveries to the devices of a user, newest first; and those that failed.
CREATE INDEX "push_deliveries_application_id_user_id_send_id_idx" ON "push_deliveries"("application_id", "user_id", "send_id");
CREATE INDEX "push_deliveries_failed_idx" ON "push_deliveries"("application_id", "send_id", "subscription_id") WHERE status = 'failed';
