import type { Request, Response } from 'express';
import { parse } from 'graphql';
import type { Services } from '../../context.ts';
import { execute } from '../../graphql/execute.ts';
import { presentError } from '../../graphql/presented-errors.ts';
import { parseForm } from '../../lib/bracket-keys.ts';
import { readText } from '../../lib/casts.ts';
import { BadInputError, InvalidFieldsError } from '../../lib/errors.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { applicationOfToken } from '../../lib/tokens.ts';
import { readUnauthenticatedBody } from '../../platform/http/unauthenticated-body.ts';
import { rateHeaders } from '../../platform/limits/definitions.ts';
import { schema } from '../../schema/index.ts';
import { contextOf, run, send, shownProblems, statusOf } from './account-page.ts';
import { renderShell } from './reset-password-view.ts';

const MAX_BODY_BYTES = 16 * 1024;

const EmailVerification = parse('query EmailVerification($token: String!) { emailVerification(token: $token) }');
const VerifyEmail = parse('mutation VerifyEmail($token: String!) { verifyEmail(token: $token) }');

/** Opening the link changes nothing, because mail programs may preview it. Works without scripts. */
export function verifyEmailPage(services: Services) {
  const refuse = (response: Response, error: unknown) => {
    const { message } = presentError(error, services.log);
    send(response, error instanceof BadInputError ? error.status : 500, failed([message]));
  };
  return {
    async show(request: Request, response: Response): Promise<void> {
      try {
        const token = new URL(request.url, 'http://page').searchParams.get('token') ?? '';
        const contextValue = contextOf(request, services);
        const known = applicationOfToken(token) !== undefined;
        const read = { schema, document: EmailVerification, variableValues: { token }, contextValue };
        const { data, errors } = known ? await execute(read) : { data: null, errors: undefined };
        const email = data?.emailVerification as string | null | undefined;
        // If the link cannot be checked, for example because of a rate limit, the submitted form checks it.
        const html = email || errors ? form(token, email ?? undefined) : DEAD;
        send(response, 200, html, {
          headers: rateHeaders(contextValue.meter?.state),
          isHead: request.method === 'HEAD',
        });
      } catch (error) {
        refuse(response, error);
      }
    },
    async submit(request: Request, response: Response): Promise<void> {
      try {
        const body = parseForm((await readUnauthenticatedBody(request, MAX_BODY_BYTES)).toString('utf8'));
        const context = contextOf(request, services);
        const problem = await run(VerifyEmail, { token: readText(body.token) ?? '' }, context);
        const headers = rateHeaders(context.meter?.state);
        if (!problem) return send(response, 200, DONE, { headers });
        if (problem instanceof InvalidFieldsError) return send(response, 422, DEAD, { headers });
        send(response, statusOf(problem), failed(shownProblems(problem)), { headers });
      } catch (error) {
        refuse(response, error);
      }
    },
  };
}

const DONE = renderShell(
  'Your address is confirmed',
  `<h1 tabindex="-1" autofocus>Your address is confirmed</h1>
<p>You can close this page and return to the app.</p>`,
);

const DEAD = renderShell(
  "This link can't be used",
  `<h1>This link can't be used</h1>
<p>It is incomplete, more than 15 minutes old, or already used. Request a new one in the app.</p>`,
);

function form(token: string, email: string | undefined): string {
  const address = email === undefined ? '' : `<p>The address is <strong>${escapeHtml(email)}</strong>.</p>\n`;
  return renderShell(
    'Confirm your email address',
    `<h1>Confirm your email address</h1>
${address}<form method="post" action="verify-email">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button type="submit">Confirm</button>
</form>`,
  );
}

function failed(sentences: string[]): string {
  const lines = sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('');
  return renderShell('Error', `<h1>Something went wrong</h1>\n<div role="alert">${lines}</div>`);
}
