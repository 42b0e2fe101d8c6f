-- Blocked users cannot sign in.
ALTER TABLE "users" ADD COLUMN "blocked_at" TIMESTAMPTZ(3);
