/**
 * Statements that contain `part` may read rows of all applications. Statements of the sweep, of migrations and of the
 * CLI are not checked, because they are for all applications and not performance-critical.
 */
export interface Exception {
  part: string;
  why: string;
}

const DUE = 'finds due work of all applications, with an index that contains nothing else';
const STREAM = 'reads the outbox, which the applications of a server share; joined rows are named by its rows';
const REQUESTS = 'stores failed and slow requests of all applications, at most once per second and process';
const CLOCK = 'stores the times of the latest requests, at most once per second and process';

export const EXCEPTIONS: Exception[] = [
  {
    part: 'FROM "public"."deleted_classes" AS "t0"',
    why: 'finds deleted classes of all applications, to delete their records; there are few',
  },
  { part: 'SELECT EXISTS (SELECT FROM events e WHERE e.due_at <= $1 AND', why: DUE },
  { part: 'WITH RECURSIVE applications_with AS (', why: DUE },
  {
    part: 'UPDATE events e SET due_at = g."dueAt",',
    why: 'advances the due events that were found, of all applications',
  },
  { part: 'SELECT DISTINCT e.application_id AS "applicationId" FROM audit_entries e WHERE e.seq IS NULL', why: DUE },
  { part: "FROM jobs j WHERE j.state IN ('queued', 'running') AND j.heartbeat_at <", why: DUE },
  { part: "UPDATE jobs j SET state = 'interrupted'", why: 'ends the jobs that were found, of all applications' },
  {
    part: 'SELECT count(*) FROM jobs o WHERE o.heartbeat_at',
    why: 'counts what runs in all applications; two at most',
  },
  { part: 'EXISTS (SELECT FROM push_subscriptions) AS "hasDevices"', why: DUE },
  { part: 'FROM events_outbox e LEFT JOIN dialogs d ON', why: STREAM },
  {
    part: 'AS notified (application_id, id, position) JOIN messages x',
    why: 'finds messages to push, of rows read from the outbox',
  },
  {
    part: 'FROM request_log_ends e WHERE e.application_id = ANY($1',
    why: 'finds new rows of the followed applications',
  },
  { part: 'WITH known AS MATERIALIZED ( SELECT coalesce(a.id, 0) AS existing', why: REQUESTS },
  {
    part: 'INSERT INTO request_figures AS f',
    why: 'adds counts of requests of all applications, at most every ten seconds and process',
  },
  { part: 'WITH input AS MATERIALIZED ( SELECT r.application_id, r.id, t.at', why: CLOCK },
  {
    part: 'WHERE (("t0"."application_id" = $1 AND',
    why: 'look-ups by key that the ORM merges if they are of one turn; from one table, which needs no routing to one server',
  },
  {
    part: 'FROM "public"."blobs" AS "t0" WHERE "t0"."id" = $1 LIMIT $2',
    why: 'loads a public file by its number, which does not contain the application; a `uid` does',
  },
  {
    part: 'FROM applications a JOIN blob_counts c ON c.application_id = a.id',
    why: 'sums the files of all applications for the state of the service; one row per application',
  },
];
