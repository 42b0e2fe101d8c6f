import type pg from 'pg';
import { isKeyOf } from '../../gateways/storage.ts';
import { ArchiveError } from './archive-error.ts';
import type { Column, TableColumns } from './columns.ts';
import type { EncryptedSecrets } from './encrypted-secrets.ts';
import type { RowsEntry } from './read.ts';
import { type NamedRow, ownerColumn, type Secret } from './tables.ts';
import { damaged } from './tar.ts';
import { dropTrust, type Trust, trustedRow, trustedSecret } from './trust.ts';

export interface StorableRows {
  table: string;
  columns: Column[];
  rows: (string | null)[][];
  /** Storage keys that the rows name. */
  files: string[];
}

const KEY_COLUMNS: Record<string, string> = { blobs: 'storage_key' };
const FIELD_COLUMNS: Record<string, string> = { records: 'fields', dialogs: 'data' };

/** Re-encrypts secrets and removes untrusted values. @throws {ArchiveError} columns, values or owners do not fit */
export function storable(
  entry: RowsEntry,
  here: TableColumns,
  { secrets, trust }: { secrets: EncryptedSecrets; trust: Trust },
): StorableRows {
  const { table, applicationId } = entry;
  const columns = entry.columns.map((name) => {
    const column = here.columns.find((one) => one.name === name);
    if (!column)
      throw new ArchiveError(
        `the archive has an unknown column of ${table.name}: it may require a newer version of the service`,
      );
    return column;
  });
  const missing = here.columns.find(({ name, isOptional }) => !isOptional && !entry.columns.includes(name));
  if (missing) throw new ArchiveError(`the archive lacks the column ${missing.name} of ${table.name}`);
  const files: string[] = [];
  const rows = entry.rows.map((row) => {
    files.push(...ownFiles(entry, row, applicationId));
    if (row.some((value, index) => value === null && columns[index]!.isNotNull)) throw damaged();
    const drop = () => dropTrust(trust, entry, row);
    const change = (secret: string, about: Secret, row: NamedRow) =>
      trust.isGiven ? secret : trustedSecret(secret, about, row, drop);
    const opened = secrets.fromArchive(table, entry.columns, row, change);
    return trust.isGiven ? opened : trustedRow(entry, opened, drop);
  });
  return { table: table.name, columns, rows, files };
}

/** @throws {ArchiveError} PostgreSQL cannot parse a value */
export async function requireValues(client: pg.Client, rows: StorableRows): Promise<void> {
  const { table, columns } = rows;
  const counts = columns.map(({ type }, index) => `count(c${index}::${type})`);
  try {
    await client.query(`SELECT ${counts.join(', ')} FROM ${unnested(columns)}`, columnwise(rows));
  } catch (error) {
    if (!isDataError(error)) throw error;
    throw new ArchiveError(`the archive has an invalid value for ${table}: ${(error as Error).message}`);
  }
}

/** @throws {ArchiveError} another application here has the same value of a globally unique column */
export async function requireNoClash(
  client: pg.Client,
  { table, columns, rows }: StorableRows,
  { applicationId, globallyUnique }: { applicationId: number; globallyUnique: string[] },
): Promise<void> {
  for (const name of globallyUnique) {
    const index = columns.findIndex((column) => column.name === name);
    const { rows: found } = await client.query<{ id: number; value: string }>(
      `SELECT t.application_id AS id, t."${name}"::text AS value FROM "${table}" t
      WHERE t."${name}" = ANY($1::text[]::${columns[index]!.type}[]) AND t.application_id <> $2 LIMIT 1`,
      [rows.map((row) => row[index]), applicationId],
    );
    const [clash] = found;
    if (!clash) continue;
    throw new ArchiveError(
      `application ${clash.id} already uses ${name === 'id' ? `id ${clash.value}` : `the same ${name}`} in ${table}, ` +
        `which must be unique across applications: import application ${applicationId} into another database`,
    );
  }
}

export function unnested(columns: Column[]): string {
  const arrays = columns.map((_column, index) => `$${index + 1}::text[]`);
  return `unnest(${arrays.join(', ')}) AS rows (${columns.map((_column, index) => `c${index}`).join(', ')})`;
}

export function columnwise({ columns, rows }: StorableRows): (string | null)[][] {
  return columns.map((_column, index) => rows.map((row) => row[index]!));
}

/** SQLSTATE class 22 (data exception) or 23 (integrity constraint violation). */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(String((error as { code?: unknown }).code));
}

/** @returns storage keys @throws {ArchiveError} the row, or a file that it names, is of another application */
function ownFiles({ table, columns }: RowsEntry, row: (string | null)[], applicationId: number): string[] {
  const textOf = (name: string | undefined) => (name === undefined ? undefined : row[columns.indexOf(name)]);
  if (textOf(ownerColumn(table.name)) !== String(applicationId)) throw damaged();
  const key = textOf(KEY_COLUMNS[table.name]) ?? [];
  const fields = textOf(FIELD_COLUMNS[table.name]);
  const keys = [key, fields == null ? [] : keysIn(fields)].flat();
  if (!keys.every((one) => isKeyOf(applicationId, one))) throw damaged();
  return keys;
}

function keysIn(fields: string): string[] {
  try {
    // Parsed, because JSON can spell the name of a member in many ways.
    const values = Object.values((JSON.parse(fields) ?? {}) as Record<string, { key?: unknown } | null>);
    return values.flatMap((value) =>
      value !== null && typeof value === 'object' && 'key' in value ? [String(value.key)] : [],
    );
  } catch {
    throw damaged();
  }
}
