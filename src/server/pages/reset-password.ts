import type { Request, Response } from 'express';
import { type GraphQLError, parse } from 'graphql';
import type { Context, Services } from '../../context.ts';
import { execute } from '../../graphql/execute.ts';
import { presentError } from '../../graphql/presented-errors.ts';
import { parseForm } from '../../lib/bracket-keys.ts';
import { BadInputError, fieldSentences, InvalidFieldsError, ServiceError } from '../../lib/errors.ts';
import { readText } from '../../lib/parameter-values.ts';
import { applicationOfToken } from '../../lib/tokens.ts';
import { createContext } from '../../resolvers/create-context.ts';
import { schema } from '../../schema/index.ts';
import { readUnauthenticatedBody } from '../http/unauthenticated-body.ts';
import { rateHeaders } from '../limits/definitions.ts';
import { CONTENT_SECURITY_POLICY, type PageState, renderPage } from './reset-password-view.ts';

const MAX_BODY_BYTES = 16 * 1024;

const ResetPassword = parse(`mutation ResetPassword($token: String!, $password: String!) {
  resetPassword(token: $token, password: $password)
}`);

const PasswordReset = parse(`query PasswordReset($token: String!) {
  passwordReset(token: $token) { login applicationName }
}`);

type AccountOfLink = NonNullable<Extract<PageState, { kind: 'form' }>['account']>;

/** Opening a reset link changes nothing, because mail programs may preview it. Also works without scripts. */
export function resetPasswordPage(services: Services) {
  return {
    async show(request: Request, response: Response): Promise<void> {
      const isHead = request.method === 'HEAD';
      try {
        const { state, headers } = await stateOf(tokenOf(request), request, services);
        send(response, 200, state, { isHead, headers });
      } catch (error) {
        const { message } = presentError(error, services.log);
        send(response, 500, { kind: 'refused', sentence: message }, { isHead });
      }
    },
    async submit(request: Request, response: Response): Promise<void> {
      try {
        await answerForm(request, response, services);
      } catch (error) {
        const { message } = presentError(error, services.log);
        send(response, error instanceof BadInputError ? error.status : 500, { kind: 'refused', sentence: message });
      }
    },
  };
}

/** Reads `?reset_token=…`. Drops other text, so that no input gets into the page. */
function tokenOf({ url }: Request): string | undefined {
  const token = new URL(url, 'http://page').searchParams.get('reset_token') ?? '';
  return applicationOfToken(token) === undefined ? undefined : token;
}

/** If the link cannot be checked, for example because of a rate limit, the submitted form checks it. */
async function stateOf(token: string | undefined, request: Request, services: Services) {
  const dead: { state: PageState; headers?: Record<string, string> } = { state: { kind: 'dead' } };
  if (token === undefined) return dead;
  const context = contextOf(request, services);
  const { data, errors } = await execute({
    schema,
    document: PasswordReset,
    variableValues: { token },
    contextValue: context,
  });
  const headers = rateHeaders(context.meter?.state);
  if (!errors && !data?.passwordReset) return { ...dead, headers };
  const account = (data?.passwordReset ?? undefined) as AccountOfLink | undefined;
  const state: PageState = { kind: 'form', token, problems: [], account };
  return { state, headers };
}

function contextOf(request: Request, services: Services): Context {
  const viewer = { kind: 'anonymous' } as const;
  const network = services.networkOf(request);
  return createContext(services, viewer, { network, meter: services.rateLimits?.meter(network, viewer) });
}

async function answerForm(request: Request, response: Response, services: Services): Promise<void> {
  const form = parseForm((await readUnauthenticatedBody(request, MAX_BODY_BYTES)).toString('utf8'));
  const input = { token: readText(form.reset_token) ?? '', password: readText(form.password) ?? '' };
  const context = contextOf(request, services);
  const problem = await resetBy(input, context);
  const [status, state] = outcomeOf(problem, input.token);
  send(response, status, state, { headers: rateHeaders(context.meter?.state) });
}

async function resetBy(
  variableValues: { token: string; password: string },
  contextValue: Context,
): Promise<GraphQLError | undefined> {
  const { errors } = await execute({ schema, document: ResetPassword, variableValues, contextValue });
  if (!errors) return undefined;
  const cause = errors[0]!.originalError;
  return cause instanceof ServiceError ? cause : presentError(errors[0], contextValue.log);
}

function outcomeOf(problem: GraphQLError | undefined, token: string): [status: number, state: PageState] {
  if (!problem) return [200, { kind: 'done' }];
  if (!(problem instanceof InvalidFieldsError)) {
    return [STATUS[String(problem.extensions.code)] ?? 500, { kind: 'form', token, problems: [problem.message] }];
  }
  const { fields } = problem;
  return [422, fields.token ? { kind: 'dead' } : { kind: 'form', token, problems: fieldSentences(fields) }];
}

const STATUS: Record<string, number> = { BAD_USER_INPUT: 400, RATE_LIMITED: 429 };

function send(
  response: Response,
  status: number,
  state: PageState,
  { headers = {}, isHead = false }: { headers?: Record<string, string>; isHead?: boolean } = {},
): void {
  if (response.headersSent) return;
  const html = renderPage(state);
  response
    .writeHead(status, {
      ...headers,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(html)),
      // The URL contains the token, so it must not reach other pages, caches or frames.
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'X-Frame-Options': 'DENY',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
      'Cross-Origin-Opener-Policy': 'same-origin',
    })
    .end(isHead ? undefined : html);
}
