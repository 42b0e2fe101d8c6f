import type pg from 'pg';
import { walk } from '../../db/walk.ts';
import type { Storage, StoredFile } from '../../gateways/storage.ts';
import { HOUR } from '../../lib/time.ts';
import type { Difference } from './check.ts';

/** Younger bytes are ignored, because their row may not be committed yet. */
const MIN_AGE_MS = HOUR;

const BATCH = 500;

export const FILE_CHECKS = [
  { name: 'bytes of files', sentence: 'The storage has the bytes of each file, in the size that its row states.' },
  { name: 'rows of files', sentence: 'Each stored file belongs to a row, or is staged.' },
  { name: 'staged files', sentence: 'A staged file belongs to no row.' },
] as const;

export interface FileLocation {
  applicationId: number;
  client: pg.Client;
  /** Outside the snapshot: sees later commits. */
  fresh: pg.Client;
  storage: Storage;
  now: Date;
}

interface NamedFile {
  key: string;
  size: number | undefined;
  isOfRow: boolean;
  isLoose: boolean;
}

interface Suspect {
  key: string;
  problem: 'no bytes' | 'no row' | 'both';
}

/** In key order. Verifies suspects again, because files change in the meantime. */
export async function* checkFiles(location: FileLocation): AsyncGenerator<Difference> {
  let suspects: Suspect[] = [];
  for await (const suspect of suspectsOf(location)) {
    suspects.push(suspect);
    if (suspects.length < BATCH) continue;
    yield* confirmed(suspects, location);
    suspects = [];
  }
  yield* confirmed(suspects, location);
}

async function* suspectsOf({ applicationId, client, storage, now }: FileLocation): AsyncGenerator<Suspect> {
  const { text, values } = namedFiles(applicationId, await fileFields(client, applicationId));
  const isOld = ({ modifiedAt }: StoredFile) => now.getTime() - modifiedAt.getTime() > MIN_AGE_MS;
  const listed = storage.list(applicationId)[Symbol.asyncIterator]();
  let next = await listed.next();
  for await (const row of walk(client, `${text} ORDER BY key COLLATE "C"`, values)) {
    const { key, size, isOfRow, isLoose } = namedOf(row);
    for (; !next.done && next.value.key < key; next = await listed.next()) {
      if (isOld(next.value)) yield { key: next.value.key, problem: 'no row' };
    }
    const stored = !next.done && next.value.key === key ? next.value : undefined;
    if (stored) next = await listed.next();
    if (isOfRow && isLoose) yield { key, problem: 'both' };
    if (isOfRow && !isStored(stored, size)) yield { key, problem: 'no bytes' };
  }
  for (; !next.done; next = await listed.next()) {
    if (isOld(next.value)) yield { key: next.value.key, problem: 'no row' };
  }
}

/** Bytes are stored before their row and deleted after it, so missing rows are queried last. */
async function* confirmed(suspects: Suspect[], location: FileLocation): AsyncGenerator<Difference> {
  const { applicationId, storage } = location;
  const before = await findAll(suspects, 'no bytes', storage);
  const named = await namedNow(suspects, location);
  const after = await findAll(suspects, 'no row', storage);
  for (const { key, problem } of suspects) {
    const row = named.get(key);
    const difference = { applicationId, row: { key } };
    if (problem === 'no bytes' && row?.isOfRow && !isStored(before.get(key), row.size)) {
      yield {
        check: 'bytes of files',
        ...difference,
        kept: bytesOf(before.get(key)),
        counted: bytesOf(row) ?? 'bytes',
      };
    }
    if (problem === 'no row' && !row && after.has(key)) {
      yield { check: 'rows of files', ...difference, kept: bytesOf(after.get(key)), counted: null };
    }
    if (problem === 'both' && row?.isOfRow && row.isLoose) {
      yield { check: 'staged files', ...difference, kept: 'staged', counted: 'a row' };
    }
  }
}

function isStored(stored: StoredFile | undefined, size: number | undefined): boolean {
  return stored?.isWhole === true && (size ?? stored.size) === stored.size;
}

function bytesOf(file: { size: number | undefined } | undefined): string | null {
  return file?.size === undefined ? null : `${file.size} bytes`;
}

async function findAll(suspects: Suspect[], problem: Suspect['problem'], storage: Storage) {
  const found = new Map<string, StoredFile>();
  for (const { key } of suspects.filter((one) => one.problem === problem)) {
    const file = await storage.find(key);
    if (file) found.set(key, file);
  }
  return found;
}

async function namedNow(suspects: Suspect[], { applicationId, fresh }: FileLocation): Promise<Map<string, NamedFile>> {
  if (suspects.length === 0) return new Map();
  const { text, values } = namedFiles(applicationId, await fileFields(fresh, applicationId));
  const { rows } = await fresh.query<(string | null)[]>({
    text: `SELECT * FROM (${text}) named WHERE key = ANY($${values.length + 1}::text[])`,
    values: [...values, suspects.map(({ key }) => key)],
    rowMode: 'array',
  });
  return new Map(rows.map(namedOf).map((file) => [file.key, file]));
}

interface FileField {
  classKey: number;
  name: string;
}

async function fileFields(client: pg.Client, applicationId: number): Promise<FileField[]> {
  const { rows } = await client.query<FileField>(
    `SELECT class_key AS "classKey", name FROM class_fields
    WHERE application_id = $1 AND type = 'File' AND NOT is_array ORDER BY 1, 2`,
    [applicationId],
  );
  return rows;
}

function namedFiles(applicationId: number, fields: FileField[]) {
  const values: unknown[] = [applicationId];
  const ofRecords = fields.map(({ classKey, name }) => {
    const [key, field] = [`$${values.push(classKey)}::int`, `$${values.push(name)}::text`];
    return `UNION ALL SELECT r.fields -> ${field} ->> 'key', (r.fields -> ${field} ->> 'size')::bigint, false
      FROM records r WHERE r.application_id = $1 AND r.class_key = ${key}`;
  });
  const text = `SELECT key, max(size)::text AS size, bool_or(NOT loose)::text AS of_row, bool_or(loose)::text AS loose
    FROM (
      SELECT storage_key AS key, size::bigint, false AS loose FROM blobs WHERE application_id = $1
      UNION ALL SELECT storage_key, size::bigint, false FROM blob_uploads WHERE application_id = $1
      UNION ALL SELECT key, NULL, true FROM unclaimed_files WHERE application_id = $1
      ${ofRecords.join('\n')}) f
    WHERE key IS NOT NULL GROUP BY key`;
  return { text, values };
}

function namedOf([key, size, ofRow, loose]: (string | null)[]): NamedFile {
  return {
    key: key!,
    size: size == null ? undefined : Number(size),
    isOfRow: ofRow === 'true',
    isLoose: loose === 'true',
  };
}
