import type { Check } from './check.ts';

/** Imported messages have no events. */
const IS_NATIVE = 'NOT EXISTS (SELECT FROM migrations g WHERE g.application_id = $1)';

const HAS_JOB = `EXISTS (SELECT FROM pgboss.job j WHERE j.name IN ('push-spread', 'push-deliver')
  AND j.state < 'completed' AND j.data ->> 'applicationId' = s.application_id::text AND j.data ->> 'sendId' = s.id)`;

/** The outbox and pushes. A missing position is not a difference, because its transaction may have been rolled back. */
export const STREAM_CHECKS: readonly Check[] = [
  {
    name: 'published messages',
    sentence: 'Each message since the start of the outbox has exactly one event.',
    sql: `WITH notified AS (
        SELECT e.subject_id AS id, count(*) AS times FROM events_outbox e
        WHERE e.application_id = $1 AND e.kind = 'messageSent' GROUP BY 1
      ), first AS (
        SELECT m.dialog_id, min(m.seq) AS seq FROM notified t
        JOIN messages m ON m.application_id = $1 AND m.id = t.id GROUP BY 1
      )
      SELECT jsonb_build_object('messageId', m.id) AS row, coalesce(t.times, 0)::text AS kept, '1' AS counted
      FROM first f
      JOIN messages m ON m.application_id = $1 AND m.dialog_id = f.dialog_id AND m.seq >= f.seq
      LEFT JOIN notified t ON t.id = m.id
      WHERE coalesce(t.times, 0) <> 1 AND ${IS_NATIVE}`,
  },
  {
    name: 'messages of events',
    sentence: 'A published message exists, unless its deletion was published too.',
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
    sentence: 'The counters of an unfinished send match its deliveries.',
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
    sentence: 'A delivery belongs to a send.',
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
    name: 'jobs of sends',
    sentence: 'An unfinished send has a job in the queue, or a delivery to retry.',
    needs: 'pgboss.job',
    sql: `SELECT jsonb_build_object('sendId', s.id) AS row, 'no job' AS kept, 'a job' AS counted
      FROM push_sends s WHERE s.application_id = $1 AND s.finished_at IS NULL AND NOT ${HAS_JOB}
        AND NOT EXISTS (SELECT FROM push_deliveries d WHERE d.application_id = s.application_id AND d.send_id = s.id
          AND d.status = 'pending' AND d.retry_at IS NOT NULL)`,
  },
  {
    name: 'active push events',
    sentence: 'A push event past its last occurrence is active only while its send is unfinished.',
    sql: `SELECT jsonb_build_object('eventId', e.id) AS row, 'active' AS kept, 'not active' AS counted
      FROM events e WHERE e.application_id = $1 AND e.active AND e.due_at IS NULL AND NOT EXISTS (
        SELECT FROM push_sends s WHERE s.application_id = e.application_id AND s.event_id = e.id
          AND s.finished_at IS NULL)`,
  },
  {
    name: 'push cursor',
    sentence: 'The cursor of message pushes does not exceed the last position of the outbox.',
    isGlobal: true,
    sql: `SELECT '{}'::jsonb AS row, c.position::text AS kept, s.last_value::text AS counted
      FROM push_cursor c, (SELECT coalesce(
        pg_sequence_last_value(pg_get_serial_sequence('events_outbox', 'position')::regclass), 0) AS last_value) s
      WHERE c.position > s.last_value`,
  },
  {
    name: 'sequences',
    sentence: 'No row has a value that a sequence is yet to generate.',
    isGlobal: true,
    // Materialized, so that the sequence is read after the rows and its value covers all of them.
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
