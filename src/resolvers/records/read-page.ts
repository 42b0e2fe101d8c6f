import { Prisma, plannedForValues } from '../../db/client.ts';
import { column, type RowSql, select, unionAll } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import { MAX_CHEAP_SKIP } from '../../db/search-turns.ts';
import type { IdentifiedViewer } from '../../lib/access.ts';
import { MAX_PAGE } from '../../lib/pagination.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { readableParts } from './access.ts';
import type { Stretch } from './order.ts';
import { type PageColumns, type PageRow, pageColumns, pageRows, pageValue, type WalkedRow } from './page-rows.ts';
import type { PagePlan } from './plan.ts';

/** Part of a page: a stretch of the order, of the records that are readable for the same reason. */
interface Part extends Stretch {
  index: number;
  readable: Prisma.Sql;
}

export type RunStatement = <Row>(statement: RowSql<Row>) => Promise<Row[]>;

export interface PageReading extends Partial<PageColumns> {
  run?: RunStatement;
}

/** Reads each readable part separately and no further than the page, so that unreadable records cost nothing. */
export async function readPage(
  plan: PagePlan,
  viewer: IdentifiedViewer,
  { hasPermissions = false, hasCursors = false, run = query }: PageReading = {},
): Promise<WalkedRow[]> {
  const columns = { hasPermissions, hasCursors };
  const visible = await readableParts(plan.definition, viewer);
  const parts = plan.walk.stretches.flatMap((stretch, index) =>
    visible.map((readable) => ({ ...stretch, index, readable })),
  );
  const [first, ...others] = parts;
  if (!first) return [];
  if (plan.matches && isReadableByIndex(plan.definition, viewer))
    return readFewest(plan, plan.matches, { visible, parts, columns, run });
  const isPlanned = plan.hasContainment || (plan.definition.hasShared && viewer.kind === 'user');
  const page = others.length === 0 ? readOnlyPart(plan, first, columns) : readParts(plan, parts, columns);
  const [row] = await run(select`${isPlanned ? plannedForValues : Prisma.empty}SELECT ${pageValue(page, columns)}`);
  return pageRows(plan.definition, row!.page, plan.isSortedByTime);
}

/** Whether the page costs the same for any number of records. */
export function isBounded({ definition, isOneRange, skip }: PagePlan, viewer: IdentifiedViewer): boolean {
  return isOneRange && skip <= MAX_CHEAP_SKIP && isReadableByIndex(definition, viewer);
}

/** Whether all visible records are in ranges of the indexes that begin with `is_open`. */
function isReadableByIndex({ hasPrivate }: ClassDefinition, { kind }: IdentifiedViewer): boolean {
  return kind !== 'user' || !hasPrivate;
}

const SOURCE = Prisma.sql`records r`;

function readOnlyPart(plan: PagePlan, part: Part, columns: PageColumns): RowSql<PageRow> {
  const list = columns.hasCursors ? withOrder(plan, part, columns) : pageColumns(columns);
  return windowOf(sortedPart(plan, part, list), plan.skip, plan.limit);
}

function readParts(plan: PagePlan, parts: Part[], columns: PageColumns): RowSql<PageRow> {
  return pageOf(
    plan,
    parts.map((part) => readPart(plan, part, columns)),
  );
}

/** As many rows as the page may need. */
function readPart(plan: PagePlan, part: Part, columns: PageColumns, source?: Prisma.Sql): RowSql<PageRow> {
  return windowOf(sortedPart(plan, part, withOrder(plan, part, columns), source), 0, plan.skip + plan.limit);
}

/** With the columns that sort the parts of a page. */
function withOrder({ walk }: PagePlan, { index }: Part, columns: PageColumns): RowSql<PageRow> {
  const stretch = column('stretch', 'int', Prisma.sql`${index}::int`);
  return select`${pageColumns(columns)}, ${column('sortedBy', 'sort key | null', walk.value)}, ${stretch}`;
}

function sortedPart(
  { where }: PagePlan,
  { readable, where: between, orderBy }: Part,
  list: RowSql<PageRow>,
  source = SOURCE,
): RowSql<PageRow> {
  return select`
    SELECT ${list} FROM ${source} WHERE ${where} AND ${readable} AND ${between} ORDER BY ${orderBy}`;
}

// For a parameter PostgreSQL assumes a tenth of all rows, therefore prefers plans for the values, and plans each
// execution again, which takes longer than reading the page. A constant around the page avoids that.
function windowOf(sorted: RowSql<PageRow>, skip: number, limit: number): RowSql<PageRow> {
  const rows = skip === 0 ? Prisma.sql`LIMIT ${limit}` : Prisma.sql`LIMIT ${limit} OFFSET ${skip}`;
  if (skip + limit > MAX_PAGE + 1) return select`${sorted} ${rows}`;
  return select`SELECT * FROM (${sorted} ${LARGEST_LIMIT}) sorted ${rows}`;
}

function pageOf(plan: PagePlan, parts: RowSql<PageRow>[]): RowSql<PageRow> {
  const { limit, skip } = plan;
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

/** Of the rows that the next try reads. */
const GROWTH = 8;

const FOUND = column('found', 'int', Prisma.sql`found.count::int`);

interface Ways {
  visible: Prisma.Sql[];
  parts: Part[];
  columns: PageColumns;
  run: RunStatement;
}

// Either all matches are read and sorted, or the index of the order is walked until the page is full. Which of them reads
// fewer rows depends on the values, and the statistics of the table do not know classes. Therefore each try bounds both:
// it sorts the matches if there are at most `bound`, and otherwise walks `bound` rows of the order.
async function readFewest(
  plan: PagePlan,
  matches: NonNullable<PagePlan['matches']>,
  { visible, parts, columns, run }: Ways,
): Promise<WalkedRow[]> {
  const { definition } = plan;
  const ofClass = Prisma.sql`r.application_id = ${definition.applicationId} AND r.class_key = ${definition.key}`;
  const matching = (readable: Prisma.Sql, rows: number) => matches.rows(Prisma.sql`${ofClass} AND ${readable}`, rows);
  const walking = ({ readable, where, orderBy }: Part, rows: number) => Prisma.sql`
    FROM records r WHERE ${ofClass} AND ${readable} AND ${matches.sortRange} AND ${where} ORDER BY ${orderBy} LIMIT ${rows}`;
  for (let bound = matches.firstBound; ; bound *= GROWTH) {
    const tries = parts.flatMap((part) => [
      readPart(plan, part, columns, onlyIf(Prisma.sql`count <= ${bound}`, matching(part.readable, bound))),
      readPart(plan, part, columns, onlyIf(Prisma.sql`count > ${bound}`, walking(part, bound))),
    ]);
    const [row] = await run(select`
      WITH found AS MATERIALIZED (SELECT ${mostRows(visible.map((readable) => matching(readable, bound + 1)))} AS count)
      SELECT ${FOUND}, ${pageValue(pageOf(plan, tries), columns)} FROM found`);
    const page = pageRows(definition, row!.page, plan.isSortedByTime);
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
