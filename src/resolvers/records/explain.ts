import type { AdministrationContext } from '../../context.ts';
import { plannedForValues } from '../../db/client.ts';
import { type RowSql, select } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import { inSearchTurn } from '../../db/search-turns.ts';
import { type IdentifiedViewer, jobOwnerOf } from '../../lib/access.ts';
import { pageRequest } from '../../lib/pagination.ts';
import { type ClassDefinition, classNamed } from '../classes/catalogue.ts';
import { indexName } from '../classes/compound-indexes.ts';
import { readRecordFilter } from './filter.ts';
import type { RecordListing } from './list.ts';
import { compoundIndexFor } from './missing-index.ts';
import { planPage } from './plan.ts';
import { readPage } from './read-page.ts';

export interface RecordsExplanation {
  /** Fields of each index, comma-separated. */
  indexes: string[];
  rowsRead: number;
  rowsReturned: number;
  /** Fields of a compound index that would read fewer rows. */
  suggestedIndex: string[] | null;
}

/** A list is worth an index if it reads this many rows for each one that it returns. */
const WASTEFUL = 4;
const MIN_WASTE = 100;

/** Runs the list as an API key and reports its cost. @throws like `listRecords` */
export async function explainRecords(
  { className, filter, orderBy, parentId, first }: RecordListing & { first?: number | null },
  { viewer }: Pick<AdministrationContext, 'viewer'>,
): Promise<RecordsExplanation> {
  const definition = await classNamed(className, viewer);
  const condition = readRecordFilter(filter, definition.fields, 'refuse');
  const page = pageRequest({ first });
  const plan = planPage(definition, { condition, orderBy, parentId, page, limit: page.limit, skip: 0 });
  const { applicationId, catalogueVersion } = viewer;
  const reader: IdentifiedViewer = { kind: 'key', apiKeyId: 0, applicationId, catalogueVersion };
  const plans: Node[] = [];
  const run = async <Row>(statement: RowSql<Row>): Promise<Row[]> => {
    const [row] = await query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      select`${plannedForValues}EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${statement}`,
    );
    plans.push(row!['QUERY PLAN'][0].Plan);
    return query(statement);
  };
  const rows = await inSearchTurn(jobOwnerOf(viewer), () => readPage(plan, reader, { run }));
  const scans = plans.flatMap(scansOf);
  const rowsRead = scans.reduce((sum, node) => sum + rowsReadBy(node), 0);
  const names = scans.flatMap((node) => node['Index Name'] ?? []);
  const isWasteful = rowsRead > Math.max(WASTEFUL * rows.length, MIN_WASTE);
  return {
    indexes: [...new Set(names.map((name) => fieldsOf(name, definition)))],
    rowsRead,
    rowsReturned: rows.length,
    suggestedIndex: isWasteful ? compoundIndexFor(definition, condition, orderBy?.field) : null,
  };
}

/** Node of a plan in PostgreSQL's JSON. */
interface Node {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Node[];
}

/** Executed scans of tables and indexes. */
function scansOf(node: Node): Node[] {
  const isScan = node['Index Name'] !== undefined || node['Relation Name'] !== undefined;
  return [...(isScan && node['Actual Loops'] > 0 ? [node] : []), ...(node.Plans ?? []).flatMap(scansOf)];
}

/** A bitmap of an index has no relation; its rows are those of the heap scan above it. */
function rowsReadBy(node: Node): number {
  if (node['Relation Name'] === undefined) return 0;
  const filtered = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return Math.round((node['Actual Rows'] + filtered) * node['Actual Loops']);
}

const COMMON_INDEXES: Record<string, string> = {
  records_application_id_class_key_is_open_created_at_id_idx: 'createdAt',
  records_application_id_class_key_is_open_updated_at_id_idx: 'updatedAt',
  records_application_id_class_key_user_id_id_idx: 'userId',
  records_application_id_class_key_fields_idx: 'all fields',
  records_parent_idx: 'parentId',
};

function fieldsOf(name: string, { fields, indexes }: ClassDefinition): string {
  const slot = /^records_([a-z]\d)_idx$/.exec(name)?.[1];
  const field = slot && [...fields.values()].find((one) => one.slot === slot);
  const index = slot && indexes.find((one) => one.slot === slot);
  return field ? field.name : index ? indexName(index) : (COMMON_INDEXES[name] ?? 'id');
}
