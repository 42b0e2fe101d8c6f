import type { ErrorReason, ServiceErrorCode } from './generated/errors.ts';

/**
 * `UNREACHABLE`: no response from the service, because of the network, a proxy or a timeout. `DISCARDED`: the app removed
 * an unsent message.
 */
export type AtriumErrorCode = ServiceErrorCode | 'UNREACHABLE' | 'DISCARDED';

export interface ErrorProblem {
  /** Stable, unlike messages; a newer service may have more reasons. */
  reason: ErrorReason;
  /** Values in the message, such as `{ max: 32768 }`. */
  parameters?: Record<string, string | number> | undefined;
  /** Field of the input. */
  field?: string | undefined;
  /** Number of the record in an operation on several. */
  record?: number | undefined;
}

export interface AnsweredError {
  message: string;
  path?: readonly (string | number)[];
  extensions?: Partial<ErrorProblem> & {
    code?: string;
    /** If there are several, at most 100. */
    problems?: ErrorProblem[];
    fields?: Record<string, string[]>;
    retryAfter?: number;
    challenge?: SignInChallenge;
  };
}

/** What a user answers with `signIn({ answer: { token, … } })`, within five minutes. */
export interface SignInChallenge {
  token: string;
  /** ISO 8601. */
  expiresAt: string;
  methods: readonly ('TOTP' | 'RECOVERY_CODE' | 'PASSKEY')[];
  /** For `PublicKeyCredential.parseRequestOptionsFromJSON()`; null without passkeys. */
  passkeyOptions: unknown;
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
  /** Why the operation failed; empty for invalid documents, faults of the service, and without a response. */
  readonly problems: readonly ErrorProblem[];
  /** Messages by input field: `{ login: ['has already been taken'] }`. */
  readonly fields: Record<string, string[]>;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  /** HTTP status, or close code of the WebSocket. */
  readonly status: number | undefined;
  /** All errors of the response; the first one determines `message`, `code` and `problems`. */
  readonly errors: readonly AnsweredError[];

  constructor(code: AtriumErrorCode, message: string, { fields, retryAfter, status, errors, cause }: Details = {}) {
    super(message, { cause });
    this.code = code;
    this.fields = fields ?? {};
    this.retryAfter = retryAfter;
    this.status = status;
    this.errors = errors ?? [];
    const { reason, parameters, field, record, problems } = this.errors[0]?.extensions ?? {};
    this.problems = problems ?? (reason ? [{ reason, parameters, field, record }] : []);
  }

  /** Cause of the failure; the first one if there are several. */
  get reason(): ErrorReason | undefined {
    return this.problems[0]?.reason;
  }

  /** Of `CODE_REQUIRED`: the credentials are right, and the user needs a second factor. */
  get challenge(): SignInChallenge | undefined {
    return this.errors[0]?.extensions?.challenge;
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
    ['UNREACHABLE', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL_SERVER_ERROR'].includes(error.code)
  );
}
