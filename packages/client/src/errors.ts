import type { ErrorReason } from './generated/reasons.ts';

/**
 * `UNREACHABLE`: no response from the service, because of the network, a proxy or a timeout. `DISCARDED`: the app removed
 * an unsent message.
 */
export type AtriumErrorCode =
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'DISABLED'
  | 'UNPROCESSABLE'
  | 'RATE_LIMITED'
  | 'CURSOR_EXPIRED'
  | 'CODE_REQUIRED'
  | 'CONFIRMATION_REQUIRED'
  | 'REASON_REQUIRED'
  | 'INTERNAL_SERVER_ERROR'
  | 'UNREACHABLE'
  | 'DISCARDED';

export interface AnsweredError {
  message: string;
  path?: readonly (string | number)[];
  extensions?: {
    code?: string;
    reason?: string;
    parameters?: Record<string, string | number>;
    fields?: Record<string, string[]>;
    retryAfter?: number;
  };
}

interface Details {
  fields?: Record<string, string[]> | undefined;
  retryAfter?: number | undefined;
  status?: number | undefined;
  errors?: readonly AnsweredError[];
  cause?: unknown;
}

/** The only error class of this package. Aborted calls reject with the reason of their signal instead. */
export class AtriumError extends Error {
  override readonly name = 'AtriumError';
  readonly code: AtriumErrorCode;
  /** Why the operation failed; undefined for errors about the document, and without a response. */
  readonly reason: ErrorReason | undefined;
  /** Values in the message, such as `{ max: 32768 }`. */
  readonly parameters: Record<string, string | number>;
  /** Messages by input field: `{ login: ['has already been taken'] }`. */
  readonly fields: Record<string, string[]>;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  /** HTTP status, or close code of the WebSocket. */
  readonly status: number | undefined;
  /** All errors of the response; the first one determines `message`, `code` and `reason`. */
  readonly errors: readonly AnsweredError[];

  constructor(code: AtriumErrorCode, message: string, { fields, retryAfter, status, errors, cause }: Details = {}) {
    super(message, { cause });
    this.code = code;
    this.fields = fields ?? {};
    this.retryAfter = retryAfter;
    this.status = status;
    this.errors = errors ?? [];
    const { reason, parameters } = this.errors[0]?.extensions ?? {};
    this.reason = reason as ErrorReason | undefined;
    this.parameters = parameters ?? {};
  }

  static answered(errors: readonly AnsweredError[], status?: number, retryAfter?: number): AtriumError {
    const [first] = errors;
    const { code, fields, retryAfter: retryAfterExtension } = first?.extensions ?? {};
    const known = (code ?? 'INTERNAL_SERVER_ERROR') as AtriumErrorCode;
    const message = first?.message ?? 'The response contains no data';
    return new AtriumError(known, message, { fields, retryAfter: retryAfterExtension ?? retryAfter, status, errors });
  }
}

export function mayPass(error: unknown): error is AtriumError {
  return (
    error instanceof AtriumError &&
    (error.code === 'UNREACHABLE' || error.code === 'RATE_LIMITED' || error.code === 'INTERNAL_SERVER_ERROR')
  );
}
