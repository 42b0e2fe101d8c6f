/** Statements with this part may ask for rows of all applications. */
export interface Exception {
  part: string;
  why: string;
}

const SWEEP = 'takes away what has run out, of all applications, some thousand rows at a time and off every hot path';
const DUE = 'looks for what the clock has made due, in whatever application, by an index that holds nothing else';
const STREAM = 'reads the stream, which is one for all applications; what it joins is named by the row';

export const EXCEPTIONS: Exception[] = [
  { part: 'DELETE FROM sessions WHERE (application_id, id) IN', why: SWEEP },
  { part: 'DELETE FROM used_nonces WHERE (application_id, nonce, timestamp) IN', why: SWEEP },
  { part: 'DELETE FROM password_resets WHERE (application_id, token_hash) IN', why: SWEEP },
  { part: 'DELETE FROM daily_usage WHERE (application_id, user_id, kind, day) IN', why: SWEEP },
  { part: 'DELETE FROM push_deliveries WHERE (application_id, send_id, subscription_id) IN', why: SWEEP },
  { part: 'DELETE FROM push_sends WHERE (application_id, id) IN', why: SWEEP },
  { part: 'FROM "public"."destroyed_dialogs" AS "t0"', why: SWEEP },
  { part: 'FROM "public"."deleted_classes" AS "t0"', why: SWEEP },
  { part: 'FROM "public"."class_fields" AS "t0" WHERE "t0"."index_state" IN', why: SWEEP },
  { part: 'SELECT EXISTS (SELECT FROM events WHERE due_at <= $1)', why: DUE },
  { part: 'FROM events WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED', why: DUE },
  { part: 'EXISTS (SELECT FROM push_subscriptions) AS "hasDevices"', why: DUE },
  { part: 'FROM events_outbox e LEFT JOIN dialogs d ON', why: STREAM },
];
