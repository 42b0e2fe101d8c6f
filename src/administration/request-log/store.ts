import { Prisma } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import { hourOf, type RecordedRequest, type RequestBatch } from '../../platform/observability/request-log.ts';

/** Rows per application and hour. The others are counted. Severe: status 500 and above, or slow. */
export const MAX_ORDINARY_PER_HOUR = 1_500;
export const MAX_SEVERE_PER_HOUR = 500;

const COLUMNS = [
  'at timestamptz',
  'request_id text',
  'host text',
  'pid int',
  'transport request_transport',
  'method text',
  'route text',
  'path text',
  'operation text',
  'fields text[]',
  'status int',
  'http_status int',
  'errors jsonb',
  'duration_ms float8',
  'is_slow boolean',
  'is_cut_off boolean',
  'caller request_caller',
  'user_id int',
  'api_key_id int',
  'administrator_id int',
  'session_id int',
  'network text',
  'user_agent text',
  'response_bytes bigint',
  'class_name text',
  'missing_index text[]',
];
const NAMES = Prisma.raw(COLUMNS.map((column) => column.split(' ')[0]).join(', '));
const DECLARED = Prisma.raw(['application_id int', 'hour timestamptz', ...COLUMNS].join(', '));

/**
 * Stores a batch in one statement. Applications that do not exist become 0, because callers can claim any. The rows in
 * `request_log_ends` are locked first, in the order of applications, so that several processes do not deadlock and ids
 * become visible in their order.
 * @returns the number of stored rows
 */
export async function storeRequests({ requests, skipped }: RequestBatch): Promise<number> {
  const rows = JSON.stringify(requests.map(rowOf));
  const counts = JSON.stringify(
    skipped.map(({ applicationId, hour, count }) => ({ application_id: applicationId, hour, count })),
  );
  const stored = await query<{ id: bigint }>(Prisma.sql`
    WITH known AS MATERIALIZED (
      SELECT coalesce(a.id, 0) AS existing, i.* FROM ROWS FROM (
        jsonb_to_recordset(${rows}::jsonb) AS (${DECLARED})) WITH ORDINALITY AS i
      LEFT JOIN applications a ON a.id = i.application_id AND a.import_id IS NULL
    ), input AS MATERIALIZED (
      SELECT k.*, status >= 500 OR is_slow AS is_severe,
        row_number() OVER (PARTITION BY existing ORDER BY ordinality) AS nth,
        count(*) OVER (PARTITION BY existing) AS total,
        row_number() OVER (PARTITION BY existing, hour, status >= 500 OR is_slow ORDER BY ordinality) AS nth_of_kind,
        count(*) OVER (PARTITION BY existing, hour, status >= 500 OR is_slow) AS total_of_kind
      FROM known k
    ), ends AS (
      INSERT INTO request_log_ends AS e (application_id, last_id)
      SELECT existing, count(*) FROM input GROUP BY existing ORDER BY existing
      ON CONFLICT (application_id) DO UPDATE SET last_id = e.last_id + excluded.last_id
      RETURNING e.application_id, e.last_id
    ), hours AS (
      INSERT INTO request_log_hours AS h (application_id, hour, ordinary, severe, skipped)
      SELECT g.application_id, g.hour, sum(g.ordinary), sum(g.severe), sum(g.skipped) FROM (
        SELECT i.existing AS application_id, i.hour, (NOT i.is_severe)::int AS ordinary, i.is_severe::int AS severe,
          0 AS skipped
        FROM input i JOIN ends e ON e.application_id = i.existing
        UNION ALL
        SELECT coalesce(a.id, 0), s.hour, 0, 0, s.count
        FROM jsonb_to_recordset(${counts}::jsonb) AS s (application_id int, hour timestamptz, count int)
        LEFT JOIN applications a ON a.id = s.application_id AND a.import_id IS NULL
      ) AS g GROUP BY g.application_id, g.hour ORDER BY g.application_id, g.hour
      ON CONFLICT (application_id, hour) DO UPDATE SET ordinary = h.ordinary + excluded.ordinary,
        severe = h.severe + excluded.severe, skipped = h.skipped + excluded.skipped
      RETURNING h.application_id, h.hour, h.ordinary, h.severe
    )
    INSERT INTO request_log (application_id, id, ${NAMES})
    SELECT i.existing, e.last_id - i.total + i.nth, ${NAMES}
    FROM input i JOIN ends e ON e.application_id = i.existing
    JOIN hours h ON h.application_id = i.existing AND h.hour = i.hour
    WHERE CASE WHEN i.is_severe THEN h.severe ELSE h.ordinary END - i.total_of_kind + i.nth_of_kind
      <= CASE WHEN i.is_severe THEN ${MAX_SEVERE_PER_HOUR}::int ELSE ${MAX_ORDINARY_PER_HOUR}::int END
    RETURNING id`);
  return stored.length;
}

function rowOf(request: RecordedRequest): object {
  const named = Object.entries(request).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return { ...Object.fromEntries(named), hour: hourOf(request.at) };
}
