/** `UNREACHABLE`: no answer of the service came, because of the network, a proxy or a time limit. */
export type AtriumErrorCode =
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'DISABLED'
  | 'UNPROCESSABLE'
  | 'RATE_LIMITED'
  | 'CURSOR_EXPIRED'
  | 'INTERNAL_SERVER_ERROR'
  | 'UNREACHABLE';

/** An error as a GraphQL answer carries it. */
export interface AnsweredError {
  message: string;
  path?: readonly (string | number)[];
  extensions?: { code?: string; fields?: Record<string, string[]>; retryAfter?: number };
}

interface Details {
  fields?: Record<string, string[]> | undefined;
  retryAfter?: number | undefined;
  status?: number | undefined;
  errors?: readonly AnsweredError[];
  cause?: unknown;
}

/** The one error of this package; what the caller aborts rejects with the reason of its signal instead. */
export class AtriumError extends Error {
  override readonly name = 'AtriumError';
  readonly code: AtriumErrorCode;
  /** Texts by field of the input that are at fault: `{ login: ['has already been taken'] }`. */
  readonly fields: Record<string, string[]>;
  /** Seconds after which another try is welcome. */
  readonly retryAfter: number | undefined;
  /** Of the HTTP answer, or the code with which a WebSocket was closed. */
  readonly status: number | undefined;
  /** All errors of the answer; the first gave this one its message and code. */
  readonly errors: readonly AnsweredError[];

  constructor(code: AtriumErrorCode, message: string, { fields, retryAfter, status, errors, cause }: Details = {}) {
    super(message, { cause });
    this.code = code;
    this.fields = fields ?? {};
    this.retryAfter = retryAfter;
    this.status = status;
    this.errors = errors ?? [];
  }

  static answered(errors: readonly AnsweredError[], status?: number, retryAfter?: number): AtriumError {
    const [first] = errors;
    const { code, fields, retryAfter: told } = first?.extensions ?? {};
    const known = (code ?? 'INTERNAL_SERVER_ERROR') as AtriumErrorCode;
    const message = first?.message ?? 'An answer without data';
    return new AtriumError(known, message, { fields, retryAfter: told ?? retryAfter, status, errors });
  }
}

/** What time may mend. */
export function mayPass(error: unknown): error is AtriumError {
  return (
    error instanceof AtriumError &&
    (error.code === 'UNREACHABLE' || error.code === 'RATE_LIMITED' || error.code === 'INTERNAL_SERVER_ERROR')
  );
}
