import { GraphQLError } from 'graphql';

/** `extensions.code` of an error. */
export type ErrorCode =
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'DISABLED'
  | 'UNPROCESSABLE'
  | 'RATE_LIMITED'
  | 'CURSOR_EXPIRED'
  | 'INTERNAL_SERVER_ERROR';

/** Texts by field, without the field's name: `{ login: ['has already been taken'] }`; camelCase, in the record's order. */
export type FieldErrors = Record<string, string[]>;

/**
 * Something the contract has a sentence for. It is a GraphQLError, so it passes masking on every door.
 * One subclass per thing that can go wrong; `rest/errors.ts` gives each its legacy status and body.
 */
export class ServiceError extends GraphQLError {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, extensions: Record<string, unknown> = {}) {
    super(message, { extensions: { code, ...extensions } });
    this.code = code;
  }
}

/** The request itself is malformed. `status` is the legacy one. */
export class BadInputError extends ServiceError {
  readonly status: 400 | 413 | 415;

  constructor(message: string, status: 400 | 413 | 415 = 400) {
    super('BAD_USER_INPUT', message);
    this.status = status;
  }
}

/** The body of a request, or a file in it, is larger than the endpoint takes. */
export const bodyTooLarge = () => new BadInputError('Request body is too large', 413);
/** Parameters at fault, each with its sentence. */
export class InvalidParametersError extends BadInputError {
  readonly sentences: string[];

  constructor(...sentences: string[]) {
    super(sentences.join(', '));
    this.sentences = sentences;
  }
}

/** The application has switched it off. */
export class DisabledError extends ServiceError {
  constructor(message: string) {
    super('DISABLED', message);
  }
}

/** No credential, an unknown API key, or a token where only a session counts. */
export class UnauthenticatedError extends ServiceError {
  constructor(message: 'Token is required' | 'Unauthorized') {
    super('UNAUTHENTICATED', message);
  }
}

/** The token is unknown or expired. */
export class SessionMissingError extends ServiceError {
  constructor() {
    super('UNAUTHENTICATED', 'Required session does not exist');
  }
}

/** Wrong login, e-mail or password; which of them is not told. */
export class WrongPasswordError extends ServiceError {
  constructor() {
    super('UNAUTHENTICATED', 'Wrong login or password');
  }
}

/** The session's user has to sign in again before they change how they sign in. */
export class SignInTooOldError extends ServiceError {
  constructor() {
    super('FORBIDDEN', 'Sign in again to add another way to sign in');
  }
}

/** An application session, or an API key alone, where a user is needed. */
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

/** An update that names nothing to change. */
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

/** An upload without a valid right to it; what is wrong with the right is not told. */
export class UploadDeniedError extends ServiceError {
  constructor() {
    super('FORBIDDEN', 'Access denied');
  }
}

/** The application does not let sessions list its users. */
export class UsersListingForbiddenError extends ServiceError {
  constructor() {
    super('FORBIDDEN', 'Users retrieving forbidden in application settings');
  }
}

/** No user has that id. */
export class UnknownUserError extends NotFoundError {
  constructor() {
    super('The user was not found');
  }
}

/** Nobody is found by what they were looked up by. */
export class NoSuchUserError extends NotFoundError {
  constructor() {
    super("Couldn't find user");
  }
}

/** Well formed, but against a rule of the domain. Several sentences are reported together. */
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

/** A social or phone sign-in was refused, or nothing can verify it. */
export class SignInRefusedError extends UnprocessableError {
  constructor() {
    super('Bad Authentication data');
  }
}

/** Fields at fault; the message is their sentences, `extensions.fields` the texts by field. */
export class InvalidFieldsError extends ServiceError {
  readonly fields: FieldErrors;

  constructor(fields: FieldErrors) {
    super('UNPROCESSABLE', fieldSentences(fields).join(', '), { fields });
    this.fields = fields;
  }
}

/** Texts, numbers, dates or flags that arrived as lists or objects. */
export class WrongTypesError extends UnprocessableError {
  readonly fields: FieldErrors;

  constructor(fields: FieldErrors, sentences: string[]) {
    super(...sentences);
    this.fields = fields;
  }
}

/** The live stream can't be resumed: events behind the cursor are no longer kept. */
export class CursorExpiredError extends ServiceError {
  constructor() {
    super('CURSOR_EXPIRED', 'The cursor is not among the events that are kept');
  }
}

/** One operation too many; `extensions.retryAfter` says in how many seconds the next is welcome. */
export class RateLimitedError extends ServiceError {
  constructor(retryAfter: number) {
    super('RATE_LIMITED', 'Rate limit exceeded', { retryAfter });
  }
}

/** The caller has as many sockets and event streams open as allowed. */
export class TooManyStreamsError extends ServiceError {
  constructor() {
    super('RATE_LIMITED', 'Too many event streams', { retryAfter: 10 });
  }
}

/** The database is away, the service is shutting down, or too much is waiting already. */
export class ServiceUnavailableError extends ServiceError {
  constructor() {
    super('INTERNAL_SERVER_ERROR', 'Service unavailable');
  }
}

/** `{ fullName: ['is too long'] }` → `['Full name is too long']` */
export function fieldSentences(fields: FieldErrors): string[] {
  return Object.entries(fields).flatMap(([field, texts]) => texts.map((text) => `${fieldWords(field)} ${text}`));
}

/** `fullName` or `full_name` → `Full name`; tags go by the name of their legacy parameter. */
function fieldWords(field: string): string {
  if (field === 'tags') return 'Tag list';
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
