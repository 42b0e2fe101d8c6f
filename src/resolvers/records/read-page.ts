import { Prisma, plannedForValues } from '../../db/client.ts';
import { column, type RowSql, select, unionAll } from '../../db/columns.ts';
import { jsonRows } from '../../db/json-rows.ts';
import { query } from '../../db/query.ts';
import type { IdentifiedViewer } from '../../lib/access.ts';
import { MAX_PAGE } from '../../lib/pagination.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { readableParts } from './access.ts';
import type { Stretch } from './order.ts';
import type { PagePlan } from './plan.ts';
import { LISTED_COLUMNS, type ListedRow } from './rows.ts';

export type WalkedRow = ListedRow & { sortedBy: string | number | Date | null };

/** Part of a page: a stretch of the order, of the records that are readable for the same reason. */
interface Part extends Stretch {
  index: number;
  readable: Prisma.Sql;
}

export type RunStatement = <Row>(statement: RowSql<Row>) => Promise<Row[]>;

/** Reads each readable part separately and no further than the page, so that unreadable records cost nothing. */
export async function readPage(
  plan: PagePlan,
  viewer: IdentifiedViewer,
  run: RunStatement = query,
): Promise<WalkedRow[]> {
  const visible = await readableParts(plan.known, viewer);
  const parts = plan.walk.stretches.flatMap((stretch, index) =>
    visible.map((readable) => ({ ...stretch, index, readable })),
  );
  if (parts.length === 0) return [];
  if (plan.matches && isReadableByIndex(plan.known, viewer))
    return readFewest(plan, plan.matches, { visible, parts, run });
  const isPlanned = plan.known.hasShared && viewer.kind === 'user';
  const page = pageOf(
    plan,
    parts.map((part) => readPart(plan, part)),
  );
  const [row] = await run(select`${isPlanned ? plannedForValues : Prisma.empty}SELECT ${recordsOf(page)}`);
  return listed(plan, row!.records);
}

function recordsOf(page: RowSql<WalkedRow>): RowSql<{ records: unknown }> {
  return column('records', 'json', Prisma.sql`(SELECT json_agg(page) FROM (${page}) page)`);
}

const TIMES = ['createdAt', 'updatedAt'] as const;

function listed({ isSortedByTime }: PagePlan, records: unknown): WalkedRow[] {
  return jsonRows<WalkedRow>(records, isSortedByTime ? [...TIMES, 'sortedBy'] : TIMES);
}

/** Whether all visible records are in ranges of the indexes that begin with `is_open`. */
function isReadableByIndex({ hasPrivate }: ClassDefinition, { kind }: IdentifiedViewer): boolean {
  return kind !== 'user' || !hasPrivate;
}

const SOURCE = Prisma.sql`records r`;

function readPart(
  { where, walk, limit, skip }: PagePlan,
  { index, readable, where: between, orderBy }: Part,
  source: Prisma.Sql = SOURCE,
): RowSql<WalkedRow & { stretch: number }> {
  const stretch = column('stretch', 'int', Prisma.sql`${index}::int`);
  const sorted = select`
    SELECT ${LISTED_COLUMNS}, ${column('sortedBy', 'sort key | null', walk.value)}, ${stretch}
    FROM ${source} WHERE ${where} AND ${readable} AND ${between} ORDER BY ${orderBy}`;
  const rows = limit + skip;
  if (rows > MAX_PAGE + 1) return select`${sorted} LIMIT ${rows}`;
  // For a parameter PostgreSQL assumes a tenth of all rows, therefore prefers plans for the values, and plans each
  // execution again, which takes longer than reading the page. A constant around the page avoids that.
  return select`SELECT * FROM (${sorted} ${LARGEST_LIMIT}) sorted LIMIT ${rows}`;
}

function pageOf(plan: PagePlan, parts: RowSql<WalkedRow>[]): RowSql<WalkedRow> {
  const { limit, skip } = plan;
  const [first] = parts;
  if (parts.length === 1) return select`SELECT * FROM (${first!}) part LIMIT ${limit} OFFSET ${skip}`;
  return select`SELECT * FROM (${together(parts)}) part ORDER BY ${orderOfParts(plan)} LIMIT ${limit} OFFSET ${skip}`;
}

function together<Row>(parts: RowSql<Row>[]): RowSql<Row> {
  return unionAll(parts.map((part) => select`(${part})`));
}

function orderOfParts({ walk, page }: PagePlan): Prisma.Sql {
  const direction = Prisma.raw(walk.isDescending === page.isBackward ? 'ASC' : 'DESC');
  const unset = Prisma.raw(page.isBackward ? 'NULLS FIRST' : 'NULLS LAST');
  return Prisma.sql`stretch, "sortedBy" ${direction} ${unset}, id ${direction}`;
}

const LARGEST_LIMIT = Prisma.raw(`LIMIT ${MAX_PAGE + 1}`);

/** Rows that the first try reads, and the factor for the next ones. */
const FIRST_BOUND = 500;
const GROWTH = 8;

const FOUND = column('found', 'int', Prisma.sql`found.count::int`);

interface Ways {
  visible: Prisma.Sql[];
  parts: Part[];
  run: RunStatement;
}

// Either all matches are read and sorted, or the index of the order is walked until the page is full. Which of them reads
// fewer rows depends on the values, and the statistics of the table do not know classes. Therefore each try bounds both:
// it sorts the matches if there are at most `bound`, and otherwise walks `bound` rows of the order.
async function readFewest(
  plan: PagePlan,
  matches: NonNullable<PagePlan['matches']>,
  { visible, parts, run }: Ways,
): Promise<WalkedRow[]> {
  const { known } = plan;
  const ofClass = Prisma.sql`r.application_id = ${known.applicationId} AND r.class_key = ${known.key}`;
  const matching = (readable: Prisma.Sql, rows: number) => Prisma.sql`
    FROM records r WHERE ${ofClass} AND ${readable} AND ${matches.condition} ORDER BY ${matches.column}, r.id LIMIT ${rows}`;
  const walking = ({ readable, where, orderBy }: Part, rows: number) => Prisma.sql`
    FROM records r WHERE ${ofClass} AND ${readable} AND ${matches.sortRange} AND ${where} ORDER BY ${orderBy} LIMIT ${rows}`;
  for (let bound = FIRST_BOUND; ; bound *= GROWTH) {
    const tries = parts.flatMap((part) => [
      readPart(plan, part, onlyIf(Prisma.sql`count <= ${bound}`, matching(part.readable, bound))),
      readPart(plan, part, onlyIf(Prisma.sql`count > ${bound}`, walking(part, bound))),
    ]);
    const [row] = await run(select`
      WITH found AS MATERIALIZED (SELECT ${mostRows(visible.map((readable) => matching(readable, bound + 1)))} AS count)
      SELECT ${FOUND}, ${recordsOf(pageOf(plan, tries))} FROM found`);
    const page = listed(plan, row!.records);
    if (page.length === plan.limit || row!.found <= bound) return page;
    const walked = mostRows(parts.map((part) => walking(part, bound + 1)));
    const [last] = await run(select`SELECT ${column('walked', 'int', Prisma.sql`${walked}::int`)}`);
    if (last!.walked <= bound) return page;
  }
}

function onlyIf(isChosen: Prisma.Sql, rows: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT * ${rows}) r JOIN (SELECT) chosen ON (SELECT ${isChosen} FROM found)`;
}

function mostRows(ranges: Prisma.Sql[]): Prisma.Sql {
  const counts = ranges.map((rows) => Prisma.sql`(SELECT count(*) FROM (SELECT ${rows}) counted)`);
  return Prisma.sql`greatest(${Prisma.join(counts)})`;
}
