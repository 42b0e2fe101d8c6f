import type { GraphQLError } from 'graphql';
import {
  BadInputError,
  type ErrorCode,
  type FieldErrors,
  ForbiddenError,
  fieldSentences,
  InvalidFieldsError,
  InvalidParametersError,
  NeedUserError,
  NoSuchUserError,
  NotFoundError,
  NoUpdateDataError,
  OtherUserError,
  RateLimitedError,
  ServiceError,
  ServiceUnavailableError,
  SessionMissingError,
  SignInRefusedError,
  UnauthenticatedError,
  UnknownUserError,
  UnprocessableError,
  WrongPasswordError,
  WrongTypesError,
} from '../lib/errors.ts';
import { legacySentence } from './legacy-sentences.ts';

const STATUS: Record<ErrorCode, number> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  DISABLED: 405,
  UNPROCESSABLE: 422,
  RATE_LIMITED: 429,
  CURSOR_EXPIRED: 422,
  INTERNAL_SERVER_ERROR: 500,
};

/** The legacy status of an error; the few that differ from their code's say so here. */
function statusOf(error: ServiceError): number {
  if (error instanceof BadInputError) return error.status;
  if (error instanceof NeedUserError) return 422;
  if (error instanceof OtherUserError) return 401;
  if (error instanceof ServiceUnavailableError) return 503;
  return STATUS[error.code];
}

/** The contract's error in what was thrown, if it is one. */
export function serviceErrorOf(error: unknown): ServiceError | undefined {
  let cause = error;
  while (cause !== undefined && cause !== null && !(cause instanceof ServiceError)) {
    cause = (cause as GraphQLError).originalError;
  }
  return cause instanceof ServiceError ? cause : undefined;
}

/** The legacy answer to an error at an endpoint that has these bodies. */
export function legacyError(error: ServiceError, bodyOf: (error: ServiceError) => unknown): ErrorAnswer {
  return { status: statusOf(error), body: commonBody(error) ?? bodyOf(error) };
}

/** `body` undefined: an empty one. */
export interface ErrorAnswer {
  status: number;
  body: unknown;
}

/** Whether something is wrong with the parameters of a request. */
export function isAboutInput(error: ServiceError | undefined): boolean {
  return error instanceof UnprocessableError || (error instanceof BadInputError && error.status === 400);
}

/** The bodies that are the same on every endpoint; undefined when the endpoint has its own. */
function commonBody(error: ServiceError): unknown {
  if (error instanceof SessionMissingError || error instanceof NeedUserError) return baseForm(error);
  const isCommon =
    error instanceof UnauthenticatedError ||
    error instanceof ServiceUnavailableError ||
    error instanceof RateLimitedError ||
    (error instanceof BadInputError && error.status !== 400);
  return isCommon ? errorList(error) : undefined;
}

/** `{"errors":["<sentence>"]}` */
export function errorList(error: ServiceError): unknown {
  return { errors: sentencesOf(error) };
}

/** As `errorList`, but an id that is none is told under its name. */
export function errorListOrId(error: ServiceError): unknown {
  return error instanceof InvalidFieldsError ? { errors: error.fields } : errorList(error);
}

/** `{"errors":{"<field>":["<text>"],"base":["<sentence>"]}}` where fields are at fault, else `{"errors":{"base":[…]}}` */
export function errorsByField(error: ServiceError): unknown {
  if (error instanceof WrongPasswordError) return undefined;
  if (error instanceof NoUpdateDataError) return baseForm(error);
  if (error instanceof BadInputError || error instanceof SignInRefusedError || isAlwaysList(error)) {
    return errorList(error);
  }
  if (error instanceof WrongTypesError) return { errors: { ...error.fields, base: error.sentences } };
  if (!(error instanceof InvalidFieldsError)) return baseForm(error);
  const fields = legacyNames(error.fields);
  return { errors: 'id' in fields ? fields : { ...fields, base: fieldSentences(error.fields) } };
}

/** As `errorsByField`, but an unknown user is a 404 without body; one looked up by something else has its own body. */
export function usersErrors(error: ServiceError): unknown {
  if (error instanceof NoSuchUserError) return { code: null, message: error.message };
  return error instanceof UnknownUserError ? undefined : errorsByField(error);
}

function baseForm(error: ServiceError): unknown {
  return { errors: { base: sentencesOf(error) } };
}

function sentencesOf(error: ServiceError): string[] {
  const isSeveral = error instanceof UnprocessableError || error instanceof InvalidParametersError;
  return (isSeveral ? error.sentences : [error.message]).map(legacySentence);
}

/** The 404 sentence and the missing permission keep their one shape everywhere. */
function isAlwaysList(error: ServiceError): boolean {
  if (error instanceof ForbiddenError) return true;
  return error instanceof NotFoundError && error.message === new NotFoundError().message;
}

/** `fullName` → `full_name`; `tags` go in as `tag_list` */
function legacyNames(fields: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([field, texts]) => [
      field === 'tags' ? 'tag_list' : field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      texts,
    ]),
  );
}
