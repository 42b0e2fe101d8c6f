import type { Request, Response } from 'express';
import { parse } from 'graphql';
import type { Services } from '../../context.ts';
import { execute } from '../../graphql/execute.ts';
import { presentError } from '../../graphql/presented-errors.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { readUnauthenticatedBody } from '../../platform/http/unauthenticated-body.ts';
import { schema } from '../../schema/index.ts';
import { contextOf, send } from './account-page.ts';
import { SIGN_IN_PAGES } from './paths.ts';
import { renderShell } from './reset-password-view.ts';

const MAX_BODY_BYTES = 16 * 1024;
const COOKIE = 'atrium_sign_in_';
const MAX_AGE_SECONDS = 600;

const Begin = parse(`mutation BeginProviderSignIn(
  $applicationId: Int!, $provider: String!, $returnTo: String!, $codeChallenge: String!, $state: String
) {
  beginProviderSignIn(
    applicationId: $applicationId, provider: $provider, returnTo: $returnTo, codeChallenge: $codeChallenge, state: $state
  ) { url id pending }
}`);
const Finish = parse(`mutation FinishProviderSignIn($pending: String!, $callback: String!) {
  finishProviderSignIn(pending: $pending, callback: $callback)
}`);

/** Sends a browser to a provider, and from there back to the app. */
export function providerSignInPages(services: Services) {
  const run = async (request: Request, document: ReturnType<typeof parse>, variableValues: Record<string, unknown>) => {
    const { data, errors } = await execute({
      schema,
      document,
      variableValues,
      contextValue: contextOf(request, services),
    });
    if (errors) throw errors[0]!;
    return data!;
  };
  const handled =
    (handle: (request: Request, response: Response) => Promise<void>) =>
    async (request: Request, response: Response) => {
      try {
        await handle(request, response);
      } catch (error) {
        const { message, extensions } = presentError(error, services.log);
        send(response, STATUS[String(extensions.code)] ?? 500, failed(message));
      }
    };
  const finish = async (request: Request, response: Response, callback: URLSearchParams) => {
    const name = cookieName(callback.get('state') ?? '');
    const pending = cookieOf(request, name) ?? '';
    const { finishProviderSignIn } = await run(request, Finish, { pending, callback: callback.toString() });
    redirect(response, String(finishProviderSignIn), cookie(request, name, '', 0, services.publicUrl()));
  };
  return {
    begin: handled(async (request, response) => {
      const query = new URL(request.url, 'http://page').searchParams;
      const { beginProviderSignIn } = await run(request, Begin, {
        applicationId: Number(request.params.application),
        provider: request.params.provider,
        returnTo: query.get('return_to') ?? '',
        codeChallenge: query.get('code_challenge') ?? '',
        state: query.get('state'),
      });
      const { url, id, pending } = beginProviderSignIn as { url: string; id: string; pending: string };
      redirect(response, url, cookie(request, cookieName(id), pending, MAX_AGE_SECONDS, services.publicUrl()));
    }),
    finish: handled((request, response) => finish(request, response, new URL(request.url, 'http://page').searchParams)),
    /** Apple returns by a form. */
    finishForm: handled(async (request, response) => {
      const body = await readUnauthenticatedBody(request, MAX_BODY_BYTES);
      await finish(request, response, new URLSearchParams(body.toString('utf8')));
    }),
  };
}

const STATUS: Record<string, number> = { BAD_USER_INPUT: 400, NOT_FOUND: 404, UNPROCESSABLE: 422, RATE_LIMITED: 429 };

const cookieName = (state: string) => `${COOKIE}${state.replaceAll(/[^\w-]/g, '').slice(0, 16)}`;

/**
 * Only for the pages of one provider. Also sent with the form of another site, which browsers permit only over TLS.
 */
function cookie({ params }: Request, name: string, value: string, maxAge: number, publicUrl: string): string {
  const { protocol, pathname } = new URL(publicUrl);
  const path = `${pathname.replace(/\/$/, '')}${SIGN_IN_PAGES}/${params.application}/${params.provider}`;
  const site = protocol === 'https:' ? 'SameSite=None; Secure' : 'SameSite=Lax';
  return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; ${site}`;
}

function cookieOf({ headers }: Request, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

function redirect(response: Response, location: string, setCookie: string): void {
  response
    .writeHead(303, {
      Location: location,
      'Set-Cookie': setCookie,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
    })
    .end();
}

function failed(sentence: string): string {
  return renderShell(
    'Sign-in failed',
    `<h1>The sign-in failed</h1>\n<div role="alert"><p>${escapeHtml(sentence)}</p></div>\n<p>Return to the app, and begin again.</p>`,
  );
}
