import type { RowsEntry } from './read.ts';
import type { NamedRow, Secret } from './tables.ts';
import { damaged } from './tar.ts';

/** Addresses inside the operator's network and other trust that only the operator may give; a tenant writes archives. */
export interface Trust {
  /** Whether the operator vouches for the archive. */
  isGiven: boolean;
  /** Rows that lose something for want of it, by their names. */
  dropped: Map<string, UntrustedRow>;
}

/** A row as the summary of an import names it. */
export interface UntrustedRow {
  application: number;
  table: string;
  row: string;
}

/** The secret as it is stored. */
export function trustedSecret(secret: string, { untrusted }: Secret, row: NamedRow, drop: () => void): string {
  if (!untrusted) return secret;
  const stored = withoutTrust(() => untrusted(secret, row));
  if (stored !== secret) drop();
  return stored;
}

/** The row as it is stored. */
export function trustedRow({ table, columns }: RowsEntry, row: (string | null)[], drop: () => void) {
  const { operatorOnly = {} } = table;
  return row.map((value, index) => {
    const column = columns[index]!;
    if (!Object.hasOwn(operatorOnly, column)) return value;
    const stored = operatorOnly[column]!;
    if (value !== stored && !(stored === 'false' && value === 'f')) drop();
    return stored;
  });
}

/** Notes that a row loses something. */
export function dropTrust(
  { dropped }: Trust,
  { applicationId, table, columns }: RowsEntry,
  row: (string | null)[],
): void {
  const key: NamedRow = Object.fromEntries(columns.map((column, index) => [column, row[index]!]));
  const name = [key.id, key.environment, key.provider].filter((part) => part != null).join(' ');
  dropped.set(`${applicationId} ${table.name} ${name}`, { application: applicationId, table: table.name, row: name });
}

function withoutTrust(untrusted: () => string): string {
  try {
    return untrusted();
  } catch {
    throw damaged();
  }
}
