import type { GraphQLError } from 'graphql';
import {
  BadInputError,
  ConfirmationRequiredError,
  ForbiddenError,
  InvalidFieldsError,
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
  STATUS_OF_CODE,
  UnauthenticatedError,
  UnknownUserError,
  UnprocessableError,
  WrongPasswordError,
  WrongTypesError,
} from '../lib/errors.ts';
import { snakeCase } from '../lib/snake-case.ts';
import { legacySentence, legacyTexts } from './legacy-sentences.ts';

function statusOf(error: ServiceError): number {
  if (error instanceof BadInputError) return error.status;
  if (error instanceof NeedUserError) return 422;
  if (error instanceof OtherUserError) return 401;
  return STATUS_OF_CODE[error.code];
}

export function serviceErrorOf(error: unknown): ServiceError | undefined {
  let cause = error;
  while (cause !== undefined && cause !== null && !(cause instanceof ServiceError)) {
    cause = (cause as GraphQLError).originalError;
  }
  return cause instanceof ServiceError ? cause : undefined;
}

export function legacyError(error: ServiceError, bodyOf: (error: ServiceError) => unknown): ErrorResponse {
  const { challenge } = error.extensions as { challenge?: { methods: string[] } };
  if (challenge) {
    const methods = challenge.methods.map((method) => method.toLowerCase());
    const shown = inSnakeCase<unknown>({ ...challenge, methods });
    return { status: statusOf(error), body: { errors: sentencesOf(error), challenge: shown } };
  }
  return { status: statusOf(error), body: commonBody(error) ?? bodyOf(error) };
}

export interface ErrorResponse {
  status: number;
  body: unknown;
}

export function isAboutInput(error: ServiceError | undefined): boolean {
  return error instanceof UnprocessableError || (error instanceof BadInputError && error.status === 400);
}

/** Undefined if the endpoint determines the body. */
function commonBody(error: ServiceError): unknown {
  if (error instanceof SessionMissingError || error instanceof NeedUserError) return baseForm(error);
  const isCommon =
    error instanceof UnauthenticatedError ||
    error instanceof ConfirmationRequiredError ||
    error instanceof ServiceUnavailableError ||
    error instanceof RateLimitedError ||
    (error instanceof BadInputError && error.status !== 400);
  return isCommon ? errorList(error) : undefined;
}

/** `{"errors":["<sentence>"]}` */
export function errorList(error: ServiceError): unknown {
  return { errors: sentencesOf(error) };
}

/** Like `errorList`, except for invalid ids: `{"errors":{"id":[…]}}` */
export function errorListOrId(error: ServiceError): unknown {
  return error instanceof InvalidFieldsError ? { errors: legacyTexts(error.fields) } : errorList(error);
}

/** `{"errors":{"<field>":["<text>"],"base":["<sentence>"]}}` for invalid fields, else `{"errors":{"base":[…]}}` */
export function errorsByField(error: ServiceError): unknown {
  if (error instanceof WrongPasswordError) return undefined;
  if (error instanceof NoUpdateDataError) return baseForm(error);
  if (error instanceof BadInputError || error instanceof SignInRefusedError || isAlwaysList(error)) {
    return errorList(error);
  }
  if (error instanceof WrongTypesError) return { errors: { ...legacyTexts(error.fields), base: sentencesOf(error) } };
  if (!(error instanceof InvalidFieldsError)) return baseForm(error);
  const fields = legacyNames(legacyTexts(error.fields));
  return { errors: 'id' in fields ? fields : { ...fields, base: error.problems.map(legacySentence) } };
}

/** Like `errorsByField`, except for unknown users: no body, or after a lookup `{"code":null,"message":"…"}`. */
export function usersErrors(error: ServiceError): unknown {
  if (error instanceof NoSuchUserError) return { code: null, message: error.message };
  return error instanceof UnknownUserError ? undefined : errorsByField(error);
}

function baseForm(error: ServiceError): unknown {
  return { errors: { base: sentencesOf(error) } };
}

export function sentencesOf(error: ServiceError): string[] {
  const sentences = error.problems.map(legacySentence);
  return error instanceof InvalidFieldsError ? [sentences.join(', ')] : sentences;
}

function isAlwaysList(error: ServiceError): boolean {
  if (error instanceof ForbiddenError) return true;
  return error instanceof NotFoundError && error.problems[0] === 'NOT_FOUND';
}

function legacyNames(fields: Record<string, string[]>): Record<string, string[]> {
  return inSnakeCase(fields, { tags: 'tag_list' });
}

function inSnakeCase<Value>(members: Record<string, Value>, names: Record<string, string> = {}): Record<string, Value> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [names[name] ?? snakeCase(name), value]));
}
