/** Its message is one line for the operator. */
export class MigrationError extends Error {}

/** The other server responded with an error. */
export class SourceError extends MigrationError {
  readonly status: number;

  constructor(what: string, status: number, body: string) {
    super(`${what}: ${status} ${body.slice(0, 200)}`);
    this.status = status;
  }
}

/** The migration continues without the file. */
export class FileUnavailable extends Error {}

/** Objects may be deleted after they were listed, or no longer be visible to the reader. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof SourceError && (error.status === 404 || error.status === 403)) return undefined;
  throw error;
}
