-- What is due is looked for application by application, so that none waits behind another's backlog.
CREATE INDEX "events_application_id_due_at_partial_idx" ON "events"("application_id", "due_at") WHERE "due_at" IS NOT NULL;
CREATE INDEX "push_deliveries_application_id_retry_at_partial_idx" ON "push_deliveries"("application_id", "retry_at") WHERE "retry_at" IS NOT NULL;
