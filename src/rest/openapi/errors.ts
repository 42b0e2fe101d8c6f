import { STATUS_CODES } from 'node:http';
import { malformed } from '../../lib/bracket-keys.ts';
import {
  BadInputError,
  bodyTooLarge,
  ForbiddenError,
  InvalidFieldsError,
  NeedUserError,
  NotFoundError,
  RateLimitedError,
  type ServiceError,
  ServiceUnavailableError,
  SessionMissingError,
  UnauthenticatedError,
} from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { type ErrorResponse, errorList, isAboutInput, legacyError } from '../errors.ts';
import { unsupported } from '../http/parameters.ts';
import { XmlBody } from '../http/rendering.ts';
import type { Route } from '../http/route.ts';
import { wrongTypeErrors } from '../http/wrong-types.ts';
import type { Rules } from '../operations.ts';
import { notAllowed } from './docs/errors.ts';
import { closed, listOf, mapOf, type Schema, text } from './docs/schemas.ts';
import type { Media, Response } from './types.ts';

export const ERROR_BODIES: Record<string, Schema> = {
  ErrorList: { ...closed({ errors: listOf(text) }), description: 'Error messages.' },
  BaseErrors: { ...closed({ errors: closed({ base: listOf(text) }) }), description: 'Error messages, under `base`.' },
  FieldErrors: {
    ...closed({ errors: { ...mapOf(listOf(text)), required: ['base'] } }),
    description: 'Messages by invalid field, without its name, and all of them as complete sentences under `base`.',
  },
  IdErrors: { ...closed({ errors: closed({ id: listOf(text) }) }), description: 'An invalid id in the path.' },
  UserNotFound: {
    ...closed({ code: { type: 'null' }, message: text }),
    description: 'No user matches a lookup.',
  },
  SecondFactorChallenge: {
    ...closed({
      errors: listOf(text),
      challenge: closed({
        token: text,
        expires_at: text,
        methods: listOf({ type: 'string', enum: ['totp', 'recovery_code', 'passkey'] }),
        passkey_options: { type: ['object', 'null'] },
      }),
    }),
    description:
      'The credentials are right, and the user needs a second factor: send the same request with `answer` in place of ' +
      'them, within five minutes. `passkey_options` are for `PublicKeyCredential.parseRequestOptionsFromJSON()`.',
  },
  NoDetails: { ...closed({}), description: 'Invalid input, without details.' },
};

/** Rendered by the route itself, so that the document cannot differ from it. */
export function errorResponses(route: Route, rules: Rules): Record<string, Response> {
  const byStatus = new Map<number, unknown[]>();
  for (const { status, body } of errorAnswers(route, rules)) {
    byStatus.set(status, [...(byStatus.get(status) ?? []), body]);
  }
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, bodies]) => [status, responseOf(status, bodies)]),
  );
}

function errorAnswers(route: Route, rules: Rules): ErrorResponse[] {
  const asWritten = (error: ServiceError) => legacyError(error, route.errors);
  const ofInput = (error: ServiceError) =>
    route.plainRefusal && isAboutInput(error) ? { status: 400, body: {} } : asWritten(error);
  return [
    ...refusals(route, rules).map(asWritten),
    ...[malformed(), ...badPath(route), ...wrongTypeErrors(route), ...(route.docs.errors ?? [])].map(ofInput),
    // GraphQL refuses values that its types cannot represent.
    legacyError(malformed(), errorList),
    ...(route.download ? [{ status: 416, body: { errors: ['Requested range is not satisfiable'] } }] : []),
    asWritten(new RateLimitedError(60)),
  ];
}

export const COMMON_RESPONSES: Record<string, Response> = Object.fromEntries(
  [
    ...[bodyTooLarge(), unsupported(), new ServiceUnavailableError()].map((error) => legacyError(error, errorList)),
    { status: 500, body: { errors: ['Internal server error'] } },
  ].map(({ status, body }) => [status, responseOf(status, [body])]),
);

function refusals(route: Route, { access, scope }: Rules): ServiceError[] {
  if (access === 'anyone' && !route.download) return [];
  const needsUser = access === 'user' || access === 'userToken' || access === 'userOrKey' || access === 'key';
  return [
    ...(route.keyWins ? [] : [new BadInputError('TWO_CREDENTIALS')]),
    new BadInputError('ON_BEHALF_OF_NEEDS_KEY'),
    ...(access === 'anyone' ? [] : [new UnauthenticatedError('TOKEN_REQUIRED')]),
    new UnauthenticatedError('UNAUTHORIZED'),
    new SessionMissingError(),
    new NotFoundError(),
    ...(needsUser ? [new NeedUserError()] : []),
    ...(access === 'key' ? [notAllowed] : []),
    ...(access === 'anyone' ? [] : [new ForbiddenError('SECOND_FACTOR_NEEDED')]),
    ...(scope ? [new ForbiddenError(problem('SCOPE_REQUIRED', { scope }))] : []),
  ];
}

function badPath({ docs, since, only }: Route): ServiceError[] {
  const hasIntegerId = Object.values(docs.path ?? {}).some(({ type }) => type === 'integer');
  return [
    ...(hasIntegerId ? [new InvalidFieldsError({ id: ['NOT_POSITIVE'] })] : []),
    ...(since || only ? [new NotFoundError()] : []),
  ];
}

function responseOf(status: number, bodies: unknown[]): Response {
  const description = STATUS_CODES[status]!;
  const xml = bodies.filter((body) => body instanceof XmlBody);
  const json = bodies.filter((body) => body !== undefined && !(body instanceof XmlBody));
  const isEmpty = bodies.includes(undefined);
  if (json.length === 0 && xml.length === 0) return { description: `${description}, without a body` };

  const schemas = [...new Set(json.map(shapeOf))].map(
    (name): Schema => (name === 'null' ? { type: 'null' } : { $ref: `#/components/schemas/${name}` }),
  );
  return {
    description: isEmpty ? `${description}; the body may be empty` : description,
    content: {
      ...(json.length > 0 && {
        'application/json': {
          schema: schemas.length === 1 ? schemas[0]! : { anyOf: schemas },
          examples: examplesOf(json),
        },
      }),
      ...(xml.length > 0 && {
        'application/xml': { schema: text, examples: examplesOf(xml.map((body) => (body as XmlBody).text)) },
      }),
    },
    ...(isEmpty && { 'x-may-be-empty': true as const }),
  };
}

function shapeOf(body: unknown): string {
  if (body === null) return 'null';
  const { errors, message, challenge } = body as Partial<Record<'errors' | 'message' | 'challenge', unknown>>;
  if (challenge !== undefined) return 'SecondFactorChallenge';
  if (message !== undefined) return 'UserNotFound';
  if (errors === undefined) return 'NoDetails';
  if (Array.isArray(errors)) return 'ErrorList';
  const [first, ...others] = Object.keys(errors as object);
  if (others.length > 0) return 'FieldErrors';
  return first === 'id' ? 'IdErrors' : 'BaseErrors';
}

function examplesOf(bodies: unknown[]): NonNullable<Media['examples']> {
  const different = [...new Map(bodies.map((body) => [JSON.stringify(body), body])).values()];
  return Object.fromEntries(different.map((value, index) => [String(index + 1), { value }]));
}
