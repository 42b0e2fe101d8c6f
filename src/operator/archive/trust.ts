import type { RowsEntry } from './read.ts';
import type { NamedRow, Secret } from './tables.ts';
import { damaged } from './tar.ts';

/** Tenants can write archives, but only the operator may trust addresses inside their network. */
export interface Trust {
  isGiven: boolean;
  dropped: Map<string, UntrustedRow>;
}

export interface UntrustedRow {
  application: number;
  table: string;
  row: string;
}

export function trustedSecret(secret: string, { untrusted }: Secret, row: NamedRow, drop: () => void): string {
  if (!untrusted) return secret;
  const stored = withoutTrust(() => untrusted(secret, row));
  if (stored !== secret) drop();
  return stored;
}

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
