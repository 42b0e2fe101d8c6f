import { GraphQLError } from 'graphql';
import { compact, detailsOf, type FieldProblems, inFields, type Problem, sentenceOf } from './problems.ts';

export type ErrorCode =
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'DISABLED'
  | 'UNPROCESSABLE'
  | 'RATE_LIMITED'
  | 'CODE_REQUIRED'
  | 'CONFIRMATION_REQUIRED'
  | 'REASON_REQUIRED'
  | 'CURSOR_EXPIRED'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL_SERVER_ERROR';

/** The HTTP status of an error without a status of its own. */
export const STATUS_OF_CODE: Readonly<Record<ErrorCode, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  DISABLED: 405,
  UNPROCESSABLE: 422,
  RATE_LIMITED: 429,
  CURSOR_EXPIRED: 422,
  CODE_REQUIRED: 401,
  CONFIRMATION_REQUIRED: 403,
  REASON_REQUIRED: 403,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
};

const MAX_PROBLEMS = 100;

/**
 * Extends GraphQLError, so that error masking lets it pass; `rest/errors.ts` maps subclasses to legacy answers. The
 * extensions have the code, the first problem (`reason`, and if it has them `parameters`, `field`, `record`), and of
 * several the first hundred as `problems`.
 */
export class ServiceError extends GraphQLError {
  readonly code: ErrorCode;
  readonly problems: readonly Problem[];

  constructor(code: ErrorCode, given: Problem | Problem[], extensions: Record<string, unknown> = {}) {
    const problems = [given].flat();
    super(problems.map((one) => sentenceOf(one)).join(', '), {
      extensions: {
        code,
        ...shown(problems[0]!),
        ...(problems.length > 1 && { problems: problems.slice(0, MAX_PROBLEMS).map(shown) }),
        ...extensions,
      },
    });
    this.code = code;
    this.problems = problems;
  }
}

/** A class whose instances are all alike. */
function fixed<Instance extends ServiceError, Given extends unknown[]>(
  parent: new (...given: Given) => Instance,
  ...given: Given
): new () => Instance {
  const Parent = parent as unknown as new (...given: unknown[]) => ServiceError;
  return class extends Parent {
    constructor() {
      super(...given);
    }
  } as new () => Instance;
}

function shown(given: Problem) {
  const { parameters, ...details } = detailsOf(given);
  return { ...details, ...(Object.keys(parameters).length > 0 && { parameters }) };
}

/** `status` is the legacy one. */
export class BadInputError extends ServiceError {
  readonly status: 400 | 413 | 415;

  constructor(problem: Problem | Problem[], status: 400 | 413 | 415 = 400) {
    super('BAD_USER_INPUT', problem);
    this.status = status;
  }
}

export const bodyTooLarge = () => new BadInputError('BODY_TOO_LARGE', 413);

export class InvalidParametersError extends BadInputError {
  constructor(...problems: Problem[]) {
    super(problems);
  }
}

export class DisabledError extends ServiceError {
  constructor(problem: Problem) {
    super('DISABLED', problem);
  }
}

export class UnauthenticatedError extends ServiceError {
  constructor(reason: 'TOKEN_REQUIRED' | 'UNAUTHORIZED' | 'CONSOLE_SIGN_IN_REQUIRED' | 'SIGN_IN_CODE_WRONG') {
    super('UNAUTHENTICATED', reason);
  }
}

export class SessionMissingError extends fixed(ServiceError, 'UNAUTHENTICATED', 'SESSION_MISSING') {}

/** Does not reveal which of login, e-mail or password is wrong. */
export class WrongPasswordError extends fixed(ServiceError, 'UNAUTHENTICATED', 'WRONG_PASSWORD') {}

/** Does not reveal which part is wrong. */
export class WrongAdministratorCredentialsError extends fixed(
  ServiceError,
  'UNAUTHENTICATED',
  'WRONG_ADMINISTRATOR_CREDENTIALS',
) {}

/** Does not reveal why: unknown, deleted, not signed by it, or an expired challenge. */
export class PasskeyRefusedError extends fixed(ServiceError, 'UNAUTHENTICATED', 'PASSKEY_REFUSED') {}

/** The password is right, and the account also requires a code. */
export class CodeRequiredError extends ServiceError {
  constructor(extensions: Record<string, unknown> = {}) {
    super('CODE_REQUIRED', 'CODE_REQUIRED', extensions);
  }
}

/** An administrator, or a user with a second factor, must prove again who they are. */
export class ConfirmationRequiredError extends fixed(ServiceError, 'CONFIRMATION_REQUIRED', 'CONFIRMATION_REQUIRED') {}

/** An administrator must state why they read messages. */
export class ReasonRequiredError extends fixed(ServiceError, 'REASON_REQUIRED', 'REASON_REQUIRED') {}

/** The password is right, but an administrator or API key has blocked the user. */
export class UserBlockedError extends fixed(ServiceError, 'FORBIDDEN', 'USER_BLOCKED') {}

/** The user must sign in again before changing how they sign in. */
export class SignInTooOldError extends fixed(ServiceError, 'FORBIDDEN', 'SIGN_IN_AGAIN') {}

/** An application session or API key alone called an operation that requires a user. */
export class NeedUserError extends fixed(ServiceError, 'FORBIDDEN', 'USER_REQUIRED') {}

export class ForbiddenError extends ServiceError {
  constructor(problem: Problem = 'FORBIDDEN') {
    super('FORBIDDEN', problem);
  }
}

export class NotFoundError extends ServiceError {
  constructor(problem: Problem = 'NOT_FOUND') {
    super('NOT_FOUND', problem);
  }
}

export class NoUpdateDataError extends fixed(BadInputError, 'NOTHING_TO_UPDATE') {}

export class OtherUserError extends fixed(ServiceError, 'FORBIDDEN', 'OTHER_USER') {}

/** Invalid upload credentials; does not reveal why. */
export class UploadDeniedError extends fixed(ServiceError, 'FORBIDDEN', 'UPLOAD_DENIED') {}

export class UsersListingForbiddenError extends fixed(ServiceError, 'FORBIDDEN', 'USERS_NOT_LISTED') {}

export class UnknownUserError extends fixed(NotFoundError, 'USER_NOT_FOUND') {}

export class NoSuchUserError extends fixed(NotFoundError, 'NO_SUCH_USER') {}

export class UnprocessableError extends ServiceError {
  constructor(...problems: Problem[]) {
    super('UNPROCESSABLE', problems);
  }
}

export class PasswordResetOffError extends fixed(ServiceError, 'UNAUTHENTICATED', 'PASSWORD_RESET_OFF') {}

/** A social or phone sign-in was refused, or no provider can verify it. */
export class SignInRefusedError extends fixed(UnprocessableError, 'SIGN_IN_REFUSED') {}

/** `extensions.fields` has the texts by field. */
export class InvalidFieldsError extends ServiceError {
  readonly fields: FieldProblems;

  constructor(fields: FieldProblems) {
    const texts = Object.entries(fields).map(([field, problems]) => [field, problems.map((one) => sentenceOf(one))]);
    super('UNPROCESSABLE', inFields(fields), { fields: Object.fromEntries(texts) });
    this.fields = fields;
  }
}

/** @throws {InvalidFieldsError} a field has a problem */
export function requireNone(problems: FieldProblems): void {
  const found = compact(problems);
  if (Object.keys(found).length > 0) throw new InvalidFieldsError(found);
}

/** @throws {InvalidFieldsError} an id that no row has */
export function requirePositive(id: number): void {
  if (id < 1) throw new InvalidFieldsError({ id: ['NOT_POSITIVE'] });
}

/** A list or object in place of a text, number, date or flag. */
export class WrongTypesError extends UnprocessableError {
  readonly fields: FieldProblems;

  constructor(fields: FieldProblems, problems: Problem[]) {
    super(...problems);
    this.fields = fields;
  }
}

/** The outbox no longer stores the events after the cursor. */
export class CursorExpiredError extends fixed(ServiceError, 'CURSOR_EXPIRED', 'CURSOR_EXPIRED') {}

/** `extensions.retryAfter` is in seconds. */
export class RateLimitedError extends ServiceError {
  constructor(retryAfter: number) {
    super('RATE_LIMITED', 'RATE_LIMITED', { retryAfter });
  }
}

export class TooManyStreamsError extends fixed(ServiceError, 'RATE_LIMITED', 'TOO_MANY_STREAMS', { retryAfter: 10 }) {}

/** The database is unavailable, the server is shutting down, or a queue is full. A retry may succeed. */
export class ServiceUnavailableError extends fixed(ServiceError, 'SERVICE_UNAVAILABLE', 'UNAVAILABLE', {
  retryAfter: 1,
}) {}
