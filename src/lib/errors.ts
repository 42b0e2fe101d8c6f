import { GraphQLError } from 'graphql';

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
  INTERNAL_SERVER_ERROR: 500,
};

/** Without the field name: `{ login: ['has already been taken'] }`. */
export type FieldErrors = Record<string, string[]>;

/** Extends GraphQLError, so that error masking lets it pass; `rest/errors.ts` maps subclasses to legacy answers. */
export class ServiceError extends GraphQLError {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, extensions: Record<string, unknown> = {}) {
    super(message, { extensions: { code, ...extensions } });
    this.code = code;
  }
}

/** `status` is the legacy one. */
export class BadInputError extends ServiceError {
  readonly status: 400 | 413 | 415;

  constructor(message: string, status: 400 | 413 | 415 = 400) {
    super('BAD_USER_INPUT', message);
    this.status = status;
  }
}

export const bodyTooLarge = () => new BadInputError('Request body is too large', 413);
export class InvalidParametersError extends BadInputError {
  readonly sentences: string[];

  constructor(...sentences: string[]) {
    super(sentences.join(', '));
    this.sentences = sentences;
  }
}

export class DisabledError extends ServiceError {
  constructor(message: string) {
    super('DISABLED', message);
  }
}

export class UnauthenticatedError extends ServiceError {
  constructor(message: 'Token is required' | 'Unauthorized' | 'Sign in to the console') {
    super('UNAUTHENTICATED', message);
  }
}

export class SessionMissingError extends ServiceError {
  constructor() {
    super('UNAUTHENTICATED', 'Required session does not exist');
  }
}

/** Does not reveal which of login, e-mail or password is wrong. */
export class WrongPasswordError extends ServiceError {
  constructor() {
    super('UNAUTHENTICATED', 'Wrong login or password');
  }
}

/** Does not reveal which part is wrong. */
export class WrongAdministratorCredentialsError extends ServiceError {
  constructor() {
    super('UNAUTHENTICATED', 'Wrong email address, password or code');
  }
}

/** Does not reveal why: unknown, deleted, not signed by it, or an expired challenge. */
export class PasskeyRefusedError extends ServiceError {
  constructor() {
    super('UNAUTHENTICATED', 'The passkey was not accepted. Try again, or use your password.');
  }
}

/** The password is right, and the account also requires a code. */
export class CodeRequiredError extends ServiceError {
  constructor() {
    super('CODE_REQUIRED', 'A code of the authenticator app or a recovery code is required');
  }
}

/** An administrator must prove again who they are. */
export class ConfirmationRequiredError extends ServiceError {
  constructor() {
    super('CONFIRMATION_REQUIRED', 'Confirm with your password or a passkey to continue');
  }
}

/** An administrator must state why they read messages. */
export class ReasonRequiredError extends ServiceError {
  constructor() {
    super('REASON_REQUIRED', 'State a reason to read messages, in the header Reason');
  }
}

/** The password is right, but an administrator or API key has blocked the user. */
export class UserBlockedError extends ServiceError {
  constructor() {
    super('FORBIDDEN', 'The user is blocked');
  }
}

/** The user must sign in again before changing how they sign in. */
export class SignInTooOldError extends ServiceError {
  constructor() {
    super('FORBIDDEN', 'Sign in again to add another way to sign in');
  }
}

/** An application session or API key alone called an operation that requires a user. */
export class NeedUserError extends ServiceError {
  constructor() {
    super('FORBIDDEN', 'Forbidden. Need user.');
  }
}

export class ForbiddenError extends ServiceError {
  constructor(message = "You don't have appropriate permissions to perform this operation") {
    super('FORBIDDEN', message);
  }
}

export class NotFoundError extends ServiceError {
  constructor(message = "The resource wasn't found") {
    super('NOT_FOUND', message);
  }
}

export class NoUpdateDataError extends BadInputError {
  constructor() {
    super('No data for update was provided');
  }
}

export class OtherUserError extends ServiceError {
  constructor() {
    super('FORBIDDEN', 'You are not allowed to modify this user');
  }
}

/** Invalid upload credentials; does not reveal why. */
export class UploadDeniedError extends ServiceError {
  constructor() {
    super('FORBIDDEN', 'Access denied');
  }
}

export class UsersListingForbiddenError extends ServiceError {
  constructor() {
    super('FORBIDDEN', 'Users retrieving forbidden in application settings');
  }
}

export class UnknownUserError extends NotFoundError {
  constructor() {
    super('The user was not found');
  }
}

export class NoSuchUserError extends NotFoundError {
  constructor() {
    super("Couldn't find user");
  }
}

export class UnprocessableError extends ServiceError {
  readonly sentences: string[];

  constructor(...sentences: string[]) {
    super('UNPROCESSABLE', sentences.join(', '));
    this.sentences = sentences;
  }
}

export class PasswordResetOffError extends ServiceError {
  constructor() {
    super('UNAUTHENTICATED', 'Password reset is turned off');
  }
}

/** A social or phone sign-in was refused, or no provider can verify it. */
export class SignInRefusedError extends UnprocessableError {
  constructor() {
    super('Bad Authentication data');
  }
}

/** The message joins the sentences of all fields; `extensions.fields` has the texts by field. */
export class InvalidFieldsError extends ServiceError {
  readonly fields: FieldErrors;

  constructor(fields: FieldErrors) {
    super('UNPROCESSABLE', fieldSentences(fields).join(', '), { fields });
    this.fields = fields;
  }
}

/** A list or object in place of a text, number, date or flag. */
export class WrongTypesError extends UnprocessableError {
  readonly fields: FieldErrors;

  constructor(fields: FieldErrors, sentences: string[]) {
    super(...sentences);
    this.fields = fields;
  }
}

/** The outbox no longer stores the events after the cursor. */
export class CursorExpiredError extends ServiceError {
  constructor() {
    super('CURSOR_EXPIRED', 'The cursor is not among the events that are kept');
  }
}

/** `extensions.retryAfter` is in seconds. */
export class RateLimitedError extends ServiceError {
  constructor(retryAfter: number) {
    super('RATE_LIMITED', 'Rate limit exceeded', { retryAfter });
  }
}

export class TooManyStreamsError extends ServiceError {
  constructor() {
    super('RATE_LIMITED', 'Too many event streams', { retryAfter: 10 });
  }
}

/** The database is unavailable, the server is shutting down, or a queue is full. */
export class ServiceUnavailableError extends ServiceError {
  constructor() {
    super('INTERNAL_SERVER_ERROR', 'Service unavailable');
  }
}

/** `{ fullName: ['is too long'] }` → `['Full name is too long']` */
export function fieldSentences(fields: FieldErrors): string[] {
  return Object.entries(fields).flatMap(([field, texts]) => texts.map((text) => `${fieldWords(field)} ${text}`));
}

/** `tags` uses the name of its legacy parameter. */
function fieldWords(field: string): string {
  if (field === 'tags') return 'Tag list';
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
