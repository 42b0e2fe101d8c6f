import { AtriumError } from '@atrium/client';
import { plural, t } from '@lingui/core/macro';
import Papa from 'papaparse';
import { mutate } from '../../app/clients.ts';
import { sentenceOf } from '../../app/query-client.ts';
import { shortened } from '../../ui/grid-row.tsx';
import { membersOf } from '../../ui/json.ts';
import { BATCH } from './changes.ts';
import { CREATE_RECORDS, type Field, type RecordClass, type Values } from './documents.ts';
import { parseValue } from './values.ts';
import type { View } from './view.ts';

/** Characters of a refused value that a reason has. */
const MAX_VALUE = 60;

/** The content of a file; values of a CSV file are texts. */
export interface Source {
  columns: string[];
  rows: Values[];
  isText: boolean;
  /** Why a row cannot be read, by its index. */
  broken: ReadonlyMap<number, string>;
}

/** Name of a field by name of a column; columns without one are ignored. */
export type Mapping = Record<string, string | null>;

export interface Refusal {
  /** Of the file, from 1; the header of a CSV file is row 1. */
  row: number;
  reason: string;
  source: Values;
}

export interface Prepared {
  valid: { row: number; fields: Values; source: Values }[];
  refused: Refusal[];
}

/** @throws {Error} with a sentence */
export async function readSource(file: File): Promise<Source> {
  const text = await file.text();
  if (!file.name.toLowerCase().endsWith('.json')) {
    const { data, meta, errors } = Papa.parse<Values>(text, { header: true, skipEmptyLines: true });
    const columns = meta.fields ?? [];
    return { columns, rows: data, isText: true, broken: brokenRows(errors, columns.length) };
  }
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    throw new Error(t`The file is not JSON.`);
  }
  if (!Array.isArray(rows)) throw new Error(t`The file must contain a list of objects.`);
  const objects = rows.map(membersOf);
  const isObject = (row: unknown) => typeof row === 'object' && row !== null && !Array.isArray(row);
  const broken = new Map(rows.flatMap((row, index) => (isObject(row) ? [] : [[index, t`This is not an object.`]])));
  return { columns: [...new Set(objects.flatMap(Object.keys))], rows: objects, isText: false, broken };
}

function brokenRows(errors: Papa.ParseError[], columns: number): Map<number, string> {
  const texts: Partial<Record<Papa.ParseError['type'], string>> = {
    Quotes: t`A quote is not closed, or text follows it.`,
    FieldMismatch: t`It does not have ${columns} values.`,
  };
  return new Map(errors.flatMap(({ row, type }) => (row === undefined || !texts[type] ? [] : [[row, texts[type]]])));
}

/** Columns with the name of a field, without regard to case, spaces and underscores; of several, the first. */
export function mappingOf({ columns }: Source, { fields }: RecordClass): Mapping {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, '');
  const free = new Map(importable(fields).map(({ name }) => [plain(name), name]));
  const take = (column: string): [string, string | null] => {
    const name = free.get(plain(column)) ?? null;
    free.delete(plain(column));
    return [column, name];
  };
  return Object.fromEntries(columns.map(take));
}

/** A field has the values of one column only. */
export function withColumn(mapping: Mapping, column: string, field: string | null): Mapping {
  const others = Object.entries(mapping).map(([name, value]) => [name, value === field ? null : value]);
  return { ...Object.fromEntries(others), [column]: field };
}

export function importable(fields: readonly Field[]): Field[] {
  return fields.filter(({ type }) => type !== 'FILE');
}

/** Checks all rows without storing any. Only the service knows whether a value of a unique field is taken. */
export function prepare(source: Source, mapping: Mapping, { fields }: RecordClass): Prepared {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const pairs = Object.entries(mapping).flatMap(([column, name]) => {
    const field = name === null ? undefined : byName.get(name);
    return field ? [[column, field] as const] : [];
  });
  const seen = new Map(fields.filter(({ unique }) => unique).map(({ name }) => [name, new Map<string, number>()]));
  const prepared: Prepared = { valid: [], refused: [] };
  for (const [index, row] of source.rows.entries()) {
    const number = index + (source.isText ? 2 : 1);
    try {
      const problem = source.broken.get(index);
      if (problem) throw new Error(problem);
      const values = pairs.flatMap(([column, field]) => readValue(row[column], field, source.isText));
      const record = Object.fromEntries(values);
      requireFields(record, fields);
      requireUnique(record, seen, number);
      prepared.valid.push({ row: number, fields: record, source: row });
    } catch (error) {
      prepared.refused.push({ row: number, reason: sentenceOf(error), source: row });
    }
  }
  return prepared;
}

function readValue(value: unknown, field: Field, isText: boolean): [string, unknown][] {
  if (value === undefined || value === null || value === '') return [];
  if (!isText) return [[field.name, value]];
  try {
    return [[field.name, parseValue(String(value), field)]];
  } catch (error) {
    throw new Error(about(field.name, value, sentenceOf(error)));
  }
}

/** Names the field and its value. */
function about(name: string, value: unknown, sentence: string): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return t`${name} “${shortened(text, MAX_VALUE)}”: ${sentence}`;
}

/** Of the service, which numbers the records of a request, here one, and names the field. */
function reasonOf(record: Values, error: unknown): string {
  const sentence = sentenceOf(error).replace(/^Record 1: /, '');
  const name = error instanceof AtriumError ? error.problems[0]?.parameters?.field : undefined;
  const value = typeof name === 'string' ? record[name] : undefined;
  return value === undefined ? sentence : about(String(name), value, sentence);
}

function requireFields(record: Values, fields: readonly Field[]): void {
  const missing = fields.filter(({ required, name }) => required && record[name] === undefined);
  if (missing.length > 0) throw new Error(t`${missing.map(({ name }) => name).join(', ')}: a value is required.`);
}

function requireUnique(record: Values, seen: ReadonlyMap<string, Map<string, number>>, row: number): void {
  for (const [name, rows] of seen) {
    if (record[name] === undefined) continue;
    const key = JSON.stringify(record[name]);
    const earlier = rows.get(key);
    if (earlier !== undefined)
      throw new Error(about(name, record[name], t`Row ${earlier} has the same value, which must be unique.`));
    rows.set(key, row);
  }
}

export interface Imported {
  count: number;
  refused: Refusal[];
}

/** Stores valid rows. A request with a row that the service refuses is divided until the row is found. */
export async function store(
  { application, className, onBehalfOf }: View,
  { valid }: Prepared,
  onProgress: (done: number) => void,
): Promise<Imported> {
  const imported: Imported = { count: 0, refused: [] };
  const send = async (rows: Prepared['valid']): Promise<void> => {
    try {
      const records = rows.map(({ fields }) => ({ fields }));
      await mutate({ application, onBehalfOf }, CREATE_RECORDS, { className, records });
      imported.count += rows.length;
    } catch (error) {
      if (!isRefusal(error)) throw new Error(interrupted(imported.count, error));
      const [only] = rows;
      if (rows.length === 1 && only) {
        imported.refused.push({ row: only.row, reason: reasonOf(only.fields, error), source: only.source });
      } else {
        const middle = Math.ceil(rows.length / 2);
        await send(rows.slice(0, middle));
        await send(rows.slice(middle));
        return;
      }
    }
    onProgress(imported.count + imported.refused.length);
  };
  for (let start = 0; start < valid.length; start += BATCH) await send(valid.slice(start, start + BATCH));
  return imported;
}

/** Of the rows themselves, which a repetition cannot change. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'UNPROCESSABLE' || code === 'BAD_USER_INPUT';
}

function interrupted(count: number, error: unknown): string {
  const stored = plural(count, { one: '# record was stored.', other: '# records were stored.' });
  return `${stored} ${sentenceOf(error)}`;
}
