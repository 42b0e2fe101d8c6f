-- Addresses are proven by the first use of a mailed link, by an API key or by the operator; none is proven so far.
ALTER TABLE users ADD COLUMN verified_email TEXT;

-- A session that was opened for a user was signed in when it was created.
ALTER TABLE sessions ADD COLUMN signed_in_at TIMESTAMPTZ(3);

-- Sessions are deleted more often than devices, and their ids are never used again: no foreign key.
ALTER TABLE push_tokens ADD COLUMN session_id INTEGER;
ALTER TABLE push_subscriptions ADD COLUMN session_id INTEGER;

ALTER TABLE applications ADD COLUMN strict_credential_changes BOOLEAN NOT NULL DEFAULT false;
