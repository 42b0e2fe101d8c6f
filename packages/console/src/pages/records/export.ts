import Papa from 'papaparse';
import { BATCH } from './changes.ts';
import type { DataRecord, RecordClass, Values } from './documents.ts';
import { textOf } from './values.ts';
import { fetchRecords, type View } from './view.ts';

export type Format = 'json' | 'csv';

/** All records that the grid shows, also those that are not loaded. */
export async function exportAll(view: View, definition: RecordClass, format: Format): Promise<void> {
  const records: DataRecord[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof fetchRecords>> = await fetchRecords(view, BATCH, after);
    records.push(...page.edges.map(({ node }) => node));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
  download(definition, format, records);
}

export function download(definition: RecordClass, format: Format, records: readonly DataRecord[]): void {
  const name = `${definition.name}.${format}`;
  if (format === 'json') {
    const lines = records.map((record) => JSON.stringify(flat(record)));
    save(`[\n${lines.join(',\n')}\n]\n`, name, 'application/json');
  } else {
    const names = ['id', 'userId', 'createdAt', 'updatedAt', ...definition.fields.map((field) => field.name)];
    save(csv([names, ...records.map((record) => csvRow(record, definition))]), name, 'text/csv');
  }
}

export function csv(rows: readonly string[][]): string {
  return `${Papa.unparse(rows as string[][])}\r\n`;
}

export function save(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

function flat({ id, userId, createdAt, updatedAt, fields }: DataRecord): Values {
  return { id, userId, createdAt, updatedAt, ...fields };
}

/** Text that a spreadsheet would run as a formula gets an apostrophe. */
function csvRow(record: DataRecord, { fields }: RecordClass): string[] {
  const { id, userId, createdAt, updatedAt } = record;
  const texts = fields.map((field) => {
    const text = textOf(record.fields?.[field.name], field);
    return field.type === 'STRING' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  });
  return [id, String(userId ?? ''), String(createdAt), String(updatedAt), ...texts];
}
