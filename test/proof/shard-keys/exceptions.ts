/**
 * Statements with this part may ask for rows of all applications. Those of the sweep, of migrations and of the CLI are not
 * looked at: they are for all applications and off every hot path.
 */
export interface Exception {
  part: string;
  why: string;
}

const DUE = 'looks for what the clock has made due, in whatever application, by an index that holds nothing else';
const STREAM = 'reads the stream, which is one for all applications; what it joins is named by the row';

export const EXCEPTIONS: Exception[] = [
  {
    part: 'FROM "public"."deleted_classes" AS "t0"',
    why: 'looks for classes that are gone, of all applications, to take their records away; there are few, if any',
  },
  { part: 'SELECT EXISTS (SELECT FROM events e WHERE e.due_at <= $1 AND', why: DUE },
  { part: 'WITH RECURSIVE applications_with AS (', why: DUE },
  { part: 'EXISTS (SELECT FROM push_subscriptions) AS "hasDevices"', why: DUE },
  { part: 'FROM events_outbox e LEFT JOIN dialogs d ON', why: STREAM },
  {
    part: 'FROM "public"."blobs" AS "t0" WHERE "t0"."id" = $1 LIMIT $2',
    why: 'loads a public file by its number, which names no application; by `uid`, which does, nobody else is asked',
  },
];
