/** Something that holds between the rows of an application, at every moment that a transaction sees. */
export interface Check {
  /** How reports call it. */
  name: string;
  /** What has to hold. */
  sentence: string;
  /**
   * SQL of the rows of application `$1` where it does not, each once: as `row` what names it (jsonb), as `kept` what is
   * stored and as `counted` what should be. A check of what all applications share has `isGlobal` and no `$1`.
   */
  sql: string;
  isGlobal?: boolean;
  /** Table without which there is nothing to check: a database that has never been served lacks some. */
  needs?: string;
  /**
   * SQL that sets one of those rows right, of application `$1` and row `$2` (jsonb), in one transaction: first the locks
   * that writers take, then what is counted under them. Only where nothing is guessed.
   */
  repair?: readonly string[];
}

/** A row that is not as it should be. */
export interface Difference {
  check: string;
  /** Null: it belongs to all. */
  applicationId: number | null;
  row: Record<string, unknown>;
  kept: string | null;
  counted: string | null;
}
