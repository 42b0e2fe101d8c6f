/** True in every snapshot. */
export interface Check {
  name: string;
  sentence: string;
  /** Violating rows of application `$1`, each once: `row` (jsonb), `kept` (stored), `counted` (expected value). */
  sql: string;
  isGlobal?: boolean;
  /** A database that was never served lacks some tables. */
  needs?: string;
  /** For row `$2` (jsonb): first the locks of writers, then the update. Only where the correct value is certain. */
  repair?: readonly string[];
}

export interface Difference {
  check: string;
  applicationId: number | null;
  row: Record<string, unknown>;
  kept: string | null;
  counted: string | null;
}
