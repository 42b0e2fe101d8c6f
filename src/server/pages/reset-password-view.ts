import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../lib/escape-html.ts';
import { applicationOfToken } from '../../lib/tokens.ts';
import { BUILT, sourceOf, withAssets } from './layout.ts';

export type PageState =
  /** `token` is 40 hex digits or unchecked input; `problems` are sentences. */
  | { kind: 'form'; token: string; problems: string[]; account?: AccountOfLink | undefined }
  | { kind: 'done'; account?: AccountOfLink | undefined }
  /** Undefined: the application is unknown. */
  | { kind: 'dead'; applicationId?: number | undefined }
  /** Asks for an email address. */
  | { kind: 'request'; applicationId: number; email: string; problems: string[] }
  | { kind: 'requested'; applicationId: number }
  | { kind: 'refused'; sentence: string };

export interface AccountOfLink {
  login: string | null;
  applicationName: string;
  appUrl: string | null;
}

const [STYLE, SCRIPT] = ['reset-password.css', 'reset-password.js'].map((name) =>
  withAssets(readFileSync(new URL(name, BUILT), 'utf8'), './'),
) as [string, string];

export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src ${sourceOf(SCRIPT)}`,
  `style-src ${sourceOf(STYLE)}`,
  "font-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

function done(account: AccountOfLink | undefined): string {
  const { appUrl = null, applicationName = '' } = account ?? {};
  const link =
    appUrl === null
      ? ''
      : `\n<a class="button" href="${escapeHtml(appUrl)}">Back to ${escapeHtml(applicationName)}</a>`;
  return `<h1>Your password is set</h1>
<p>You can sign in with it now. You have been signed out everywhere else.</p>${link}`;
}

function dead(applicationId: number | undefined): string {
  const next =
    applicationId === undefined
      ? ' Request a new one where you sign in.</p>'
      : `</p>\n<a class="button" href="reset-password?application=${applicationId}">Request a new link</a>`;
  return `<h1>This link can't be used</h1>
<p>It is incomplete, more than one hour old, or already used.${next}`;
}

function requested(applicationId: number): string {
  return `<h1 tabindex="-1" autofocus>Check your mail</h1>
<p>If there is an account with this address, it receives a link to set a new password within a few minutes. The link works
once, within one hour.</p>
<p>No mail? Look into the folder for spam, or <a href="reset-password?application=${applicationId}">try again</a> after a
minute.</p>`;
}

/** All addresses are relative, so that the page works below any path. */
export function renderPage(state: PageState): string {
  const [title, content] = contentOf(state);
  const scripts = `${state.kind === 'form' ? templates(state) : ''}<script>${SCRIPT}</script>\n`;
  return renderShell(title, content, scripts);
}

/** The page around the content, in the look of all pages of accounts. */
export function renderShell(title: string, content: string, scripts = ''): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
${content}
</main>
${scripts}</body>
</html>
`;
}

function contentOf(state: PageState): [title: string, content: string] {
  switch (state.kind) {
    case 'form':
      return [`${state.problems.length > 0 ? 'Error: ' : ''}Set a new password`, form(state)];
    case 'done':
      return ['Your password is set', done(state.account)];
    case 'dead':
      return ["This link can't be used", dead(state.applicationId)];
    case 'request':
      return [`${state.problems.length > 0 ? 'Error: ' : ''}Reset your password`, requestForm(state)];
    case 'requested':
      return ['Check your mail', requested(state.applicationId)];
    case 'refused':
      return ['Error', `<h1>Something went wrong</h1>\n<div role="alert"><p>${escapeHtml(state.sentence)}</p></div>`];
  }
}

/** What the script shows instead of the form. */
function templates({ token, account }: Extract<PageState, { kind: 'form' }>): string {
  return `<template id="done">${done(account)}</template>
<template id="dead">${dead(applicationOfToken(token))}</template>
`;
}

function requestForm({ applicationId, email, problems }: Extract<PageState, { kind: 'request' }>): string {
  const lines = problems.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('');
  return `<h1>Reset your password</h1>
<p>Enter the email address of your account. You receive a link to set a new password.</p>
<form method="post" action="reset-password">
<input type="hidden" name="application" value="${applicationId}">
<label for="email">Email address</label>
<input type="email" id="email" name="email" value="${escapeHtml(email)}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required autofocus aria-describedby="problems"${problems.length > 0 ? ' aria-invalid="true"' : ''}>
<div id="problems" role="alert">${lines}</div>
<button type="submit">Send link</button>
</form>`;
}

function form({ token, problems, account }: Extract<PageState, { kind: 'form' }>): string {
  const login = account?.login ?? null;
  const name = account
    ? `<p>${login === null ? '' : `Account <strong>${escapeHtml(login)}</strong> of `}${escapeHtml(account.applicationName)}</p>\n`
    : '';
  // For password managers.
  const username =
    login === null ? '' : `<input type="text" autocomplete="username" value="${escapeHtml(login)}" readonly hidden>\n`;
  const lines = problems.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('');
  return `<h1>Set a new password</h1>
${name}<form method="post" action="reset-password">
<input type="hidden" name="reset_token" value="${escapeHtml(token)}">
${username}<label for="password">New password</label>
<p class="hint" id="hint">8 to 40 letters, digits and punctuation characters, without spaces.</p>
<input type="password" id="password" name="password" autocomplete="new-password" autocapitalize="none" spellcheck="false" required autofocus aria-describedby="hint problems"${problems.length > 0 ? ' aria-invalid="true"' : ''}>
<div id="problems" role="alert">${lines}</div>
<label class="show" hidden><input type="checkbox" id="show"> Show the password</label>
<button type="submit">Set password</button>
</form>`;
}
