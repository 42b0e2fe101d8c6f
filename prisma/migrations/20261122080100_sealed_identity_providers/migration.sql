-- Secrets move here out of the settings; the service, which has the key, does it at its next start.
ALTER TABLE identity_providers ADD COLUMN sealed TEXT;
