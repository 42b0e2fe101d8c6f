/** An invariant between rows, true in every snapshot. */
export interface Check {
  name: string;
  sentence: string;
  /**
   * Selects the violating rows of application `$1`, each once: `row` (jsonb) identifies it, `kept` is the stored value,
   * `counted` the expected one. With `isGlobal`, there is no `$1`.
   */
  sql: string;
  isGlobal?: boolean;
  /** The check is skipped if this table does not exist, as in a database that was never served. */
  needs?: string;
  /**
   * Repairs row `$2` (jsonb) of application `$1` in one transaction: first the locks that writers take, then the
   * update. Only where the correct value is certain.
   */
  repair?: readonly string[];
}

export interface Difference {
  check: string;
  /** Null: a check over all applications. */
  applicationId: number | null;
  row: Record<string, unknown>;
  kept: string | null;
  counted: string | null;
}
