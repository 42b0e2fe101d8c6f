-- What a provider, or an API key alone, has vouched for; it counts while the user has it.
ALTER TABLE users
  ADD COLUMN verified_phone TEXT,
  ADD COLUMN verified_facebook_id TEXT,
  ADD COLUMN verified_twitter_id TEXT;

-- Whoever has no password was made by the sign-in of their only identity, which was verified.
UPDATE users
SET verified_phone = phone, verified_facebook_id = facebook_id, verified_twitter_id = twitter_id
WHERE password_hash IS NULL AND num_nonnulls(phone, facebook_id, twitter_id) = 1;

-- A phone sign-in looks for whoever has shown that the phone is theirs, before the oldest who only says so.
CREATE INDEX "users_application_id_verified_phone_id_idx" ON "users" ("application_id", "verified_phone", "id");
