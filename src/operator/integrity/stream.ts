import type { Check } from './check.ts';

/** Messages that came from another server were announced to nobody. */
const IS_NATIVE = 'NOT EXISTS (SELECT FROM migrations g WHERE g.application_id = $1)';

/** Has to hold of all rows of a queue's jobs that are not done. */
const HAS_JOB = `EXISTS (SELECT FROM pgboss.job j WHERE j.name IN ('push-spread', 'push-deliver')
  AND j.state < 'completed' AND j.data ->> 'applicationId' = s.application_id::text AND j.data ->> 'sendId' = s.id)`;

/**
 * The stream of what has happened, and pushes. A position that is missing is no difference: its transaction was rolled
 * back, or ended by a crash.
 */
export const STREAM_CHECKS: readonly Check[] = [
  {
    name: 'announced messages',
    sentence: 'Since the stream begins, each message of a dialog was announced once.',
    sql: `WITH told AS (
        SELECT e.subject_id AS id, count(*) AS times FROM events_outbox e
        WHERE e.application_id = $1 AND e.kind = 'messageSent' GROUP BY 1
      ), first AS (
        SELECT m.dialog_id, min(m.seq) AS seq FROM told t
        JOIN messages m ON m.application_id = $1 AND m.id = t.id GROUP BY 1
      )
      SELECT jsonb_build_object('messageId', m.id) AS row, coalesce(t.times, 0)::text AS kept, '1' AS counted
      FROM first f
      JOIN messages m ON m.application_id = $1 AND m.dialog_id = f.dialog_id AND m.seq >= f.seq
      LEFT JOIN told t ON t.id = m.id
      WHERE coalesce(t.times, 0) <> 1 AND ${IS_NATIVE}`,
  },
  {
    name: 'messages of events',
    sentence: 'A message that was announced is there, unless its end was announced too.',
    sql: `WITH gone AS (
        SELECT jsonb_array_elements_text(e.detail -> 'messageIds') AS id FROM events_outbox e
        WHERE e.application_id = $1 AND e.kind = 'messagesDeleted' AND e.audience_ids IS NULL
      )
      SELECT jsonb_build_object('position', e.position::text, 'messageId', e.subject_id) AS row, e.kind::text AS kept,
        NULL AS counted
      FROM events_outbox e JOIN dialogs d ON d.application_id = e.application_id AND d.id = e.dialog_id
      WHERE e.application_id = $1 AND e.kind IN ('messageSent', 'messageEdited')
        AND NOT EXISTS (SELECT FROM messages m WHERE m.application_id = e.application_id AND m.id = e.subject_id)
        AND NOT EXISTS (SELECT FROM gone g WHERE g.id = e.subject_id)`,
  },
  {
    name: 'counts of sends',
    sentence: 'A send that is under way counts what became of its devices.',
    sql: `SELECT jsonb_build_object('sendId', s.id) AS row, concat_ws(' ', s.recipients, s.delivered, s.failed) AS kept,
        concat_ws(' ', d.recipients, d.delivered, d.failed) AS counted
      FROM push_sends s CROSS JOIN LATERAL (
        SELECT count(*) AS recipients, count(*) FILTER (WHERE d.status = 'delivered') AS delivered,
          count(*) FILTER (WHERE d.status = 'failed') AS failed
        FROM push_deliveries d WHERE d.application_id = s.application_id AND d.send_id = s.id) d
      WHERE s.application_id = $1 AND s.finished_at IS NULL
        AND (s.recipients, s.delivered, s.failed) <> (d.recipients, d.delivered, d.failed)`,
  },
  {
    name: 'deliveries of sends',
    sentence: 'What became of a push is that of a send.',
    sql: `SELECT jsonb_build_object('sendId', d.send_id) AS row, count(*) || ' rows' AS kept, NULL AS counted
      FROM push_deliveries d WHERE d.application_id = $1 AND NOT EXISTS (
        SELECT FROM push_sends s WHERE s.application_id = d.application_id AND s.id = d.send_id)
      GROUP BY d.send_id`,
    repair: [
      `DELETE FROM push_deliveries d WHERE d.application_id = $1 AND d.send_id = $2::jsonb ->> 'sendId' AND NOT EXISTS (
        SELECT FROM push_sends s WHERE s.application_id = d.application_id AND s.id = d.send_id)`,
    ],
  },
  {
    name: 'work of sends',
    sentence: 'A send that is under way has work in the queue, or a device that is tried again.',
    needs: 'pgboss.job',
    sql: `SELECT jsonb_build_object('sendId', s.id) AS row, 'no job' AS kept, 'a job' AS counted
      FROM push_sends s WHERE s.application_id = $1 AND s.finished_at IS NULL AND NOT ${HAS_JOB}
        AND NOT EXISTS (SELECT FROM push_deliveries d WHERE d.application_id = s.application_id AND d.send_id = s.id
          AND d.status = 'pending' AND d.retry_at IS NOT NULL)`,
  },
  {
    name: 'events under way',
    sentence: 'An event whose last time has come is active while its send is under way.',
    sql: `SELECT jsonb_build_object('eventId', e.id) AS row, 'active' AS kept, 'not active' AS counted
      FROM events e WHERE e.application_id = $1 AND e.active AND e.due_at IS NULL AND NOT EXISTS (
        SELECT FROM push_sends s WHERE s.application_id = e.application_id AND s.event_id = e.id
          AND s.finished_at IS NULL)`,
  },
  {
    name: 'push cursor',
    sentence: 'Pushes of messages are looked for no further than the stream goes.',
    isGlobal: true,
    sql: `SELECT '{}'::jsonb AS row, c.position::text AS kept, s.last_value::text AS counted
      FROM push_cursor c, (SELECT coalesce(
        pg_sequence_last_value(pg_get_serial_sequence('events_outbox', 'position')::regclass), 0) AS last_value) s
      WHERE c.position > s.last_value`,
  },
  {
    name: 'sequences',
    sentence: 'What a sequence gives next nobody has.',
    isGlobal: true,
    // What a sequence has given is read behind the rows, so that it covers all of them.
    sql: `WITH highest AS MATERIALIZED (
        SELECT c.table_name, c.column_name, (xpath('/row/max/text()', query_to_xml(
          format('SELECT max(%I) FROM %I', c.column_name, c.table_name), false, true, '')))[1]::text::bigint AS number
        FROM information_schema.columns c
        WHERE c.table_schema = 'public' AND c.column_default LIKE 'nextval(%'
      )
      SELECT jsonb_build_object('table', h.table_name, 'column', h.column_name) AS row, s.given::text AS kept,
        h.number::text AS counted
      FROM highest h CROSS JOIN LATERAL (SELECT coalesce(pg_sequence_last_value(
        pg_get_serial_sequence(quote_ident(h.table_name), h.column_name)::regclass), 0) AS given) s
      WHERE h.number > s.given`,
  },
];
