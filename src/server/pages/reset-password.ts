import type { Request, Response } from 'express';
import { type GraphQLError, parse } from 'graphql';
import type { Context, Services } from '../../context.ts';
import { execute } from '../../graphql/execute.ts';
import { presentError } from '../../graphql/presented-errors.ts';
import { parseForm } from '../../lib/bracket-keys.ts';
import { readText } from '../../lib/casts.ts';
import { BadInputError, InvalidFieldsError } from '../../lib/errors.ts';
import { applicationOfToken, isDatabaseId } from '../../lib/tokens.ts';
import { readUnauthenticatedBody } from '../../platform/http/unauthenticated-body.ts';
import { rateHeaders } from '../../platform/limits/definitions.ts';
import { deriveContext } from '../../resolvers/create-context.ts';
import { schema } from '../../schema/index.ts';
import { contextOf, run, send, shownProblems, statusOf } from './account-page.ts';
import { type AccountOfLink, type PageState, renderPage } from './reset-password-view.ts';

const MAX_BODY_BYTES = 16 * 1024;

const ResetPassword = parse(`mutation ResetPassword($token: String!, $password: String!) {
  resetPassword(token: $token, password: $password)
}`);

const PasswordReset = parse(`query PasswordReset($token: String!) {
  passwordReset(token: $token) { login applicationName appUrl }
}`);

const RequestResetLink = parse(`mutation RequestResetLink($applicationId: Int!, $email: String!) {
  requestResetLink(applicationId: $applicationId, email: $email)
}`);

/** Opening a reset link changes nothing, because mail programs may preview it. Also works without scripts. */
export function resetPasswordPage(services: Services) {
  return {
    async show(request: Request, response: Response): Promise<void> {
      const isHead = request.method === 'HEAD';
      try {
        const { state, headers } = await stateOf(tokenOf(request), request, services);
        send(response, 200, renderPage(state), { isHead, headers });
      } catch (error) {
        const { message } = presentError(error, services.log);
        send(response, 500, renderPage({ kind: 'refused', sentence: message }), { isHead });
      }
    },
    async submit(request: Request, response: Response): Promise<void> {
      try {
        await answerForm(request, response, services);
      } catch (error) {
        const { message } = presentError(error, services.log);
        send(
          response,
          error instanceof BadInputError ? error.status : 500,
          renderPage({ kind: 'refused', sentence: message }),
        );
      }
    },
  };
}

/** Reads `?reset_token=…`. Drops other text, so that no input gets into the page. */
function tokenOf({ url }: Request): string | undefined {
  const token = new URL(url, 'http://page').searchParams.get('reset_token') ?? '';
  return applicationOfToken(token) === undefined ? undefined : token;
}

/** Reads `?application=…`. */
function applicationOf(text: string | null | undefined): number | undefined {
  const id = /^\d{1,10}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return isDatabaseId(id) ? id : undefined;
}

/** A link without token asks for an email address. */
function withoutToken({ url }: Request): PageState {
  const parameters = new URL(url, 'http://page').searchParams;
  const applicationId = applicationOf(parameters.get('application'));
  if (applicationId === undefined || parameters.has('reset_token')) return { kind: 'dead' };
  return { kind: 'request', applicationId, email: '', problems: [] };
}

/** If the link cannot be checked, for example because of a rate limit, the submitted form checks it. */
async function stateOf(token: string | undefined, request: Request, services: Services) {
  if (token === undefined) return { state: withoutToken(request) };
  const context = contextOf(request, services);
  const { account, isChecked } = await accountOf(token, context);
  const headers: Record<string, string> | undefined = rateHeaders(context.meter?.state);
  const state: PageState =
    isChecked && !account
      ? { kind: 'dead', applicationId: applicationOfToken(token) }
      : { kind: 'form', token, problems: [], account };
  return { state, headers };
}

async function accountOf(
  token: string,
  contextValue: Context,
): Promise<{ account: AccountOfLink | undefined; isChecked: boolean }> {
  const { data, errors } = await execute({ schema, document: PasswordReset, variableValues: { token }, contextValue });
  return { account: (data?.passwordReset ?? undefined) as AccountOfLink | undefined, isChecked: !errors };
}

async function answerForm(request: Request, response: Response, services: Services): Promise<void> {
  const form = parseForm((await readUnauthenticatedBody(request, MAX_BODY_BYTES)).toString('utf8'));
  const context = contextOf(request, services);
  const applicationId = applicationOf(readText(form.application));
  const [status, state] =
    applicationId === undefined
      ? await answerReset({ token: readText(form.reset_token) ?? '', password: readText(form.password) ?? '' }, context)
      : await answerRequest({ applicationId, email: readText(form.email) ?? '' }, context);
  send(response, status, renderPage(state), { headers: rateHeaders(context.meter?.state) });
}

async function answerRequest(
  input: { applicationId: number; email: string },
  context: Context,
): Promise<[status: number, state: PageState]> {
  const problem = await run(RequestResetLink, input, context);
  if (!problem) return [200, { kind: 'requested', applicationId: input.applicationId }];
  const isInvalid = problem instanceof InvalidFieldsError;
  return [isInvalid ? 422 : statusOf(problem), { kind: 'request', ...input, problems: shownProblems(problem) }];
}

async function answerReset(
  input: { token: string; password: string },
  context: Context,
): Promise<[status: number, state: PageState]> {
  // Before the reset, because the link is used afterwards. It counts together with the reset.
  const { account } = await accountOf(input.token, deriveContext(context, { isCounted: true }));
  return outcomeOf(await run(ResetPassword, input, context), input.token, account);
}

function outcomeOf(
  problem: GraphQLError | undefined,
  token: string,
  account: AccountOfLink | undefined,
): [status: number, state: PageState] {
  if (!problem) return [200, { kind: 'done', account }];
  if (!(problem instanceof InvalidFieldsError)) {
    return [statusOf(problem), { kind: 'form', token, problems: shownProblems(problem), account }];
  }
  if (problem.fields.token) return [422, { kind: 'dead', applicationId: applicationOfToken(token) }];
  return [422, { kind: 'form', token, problems: shownProblems(problem), account }];
}
