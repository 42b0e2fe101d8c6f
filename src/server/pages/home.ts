import type { Services } from '../../context.ts';
import { serviceVersion } from '../../resolvers/applications/service-status.ts';
import { cardLinks } from './cards.ts';
import { htmlPage } from './layout.ts';
import type { StaticFile } from './static-files.ts';

const CONSOLE_CARD = { href: 'console', name: 'Console', text: 'Applications, users, dialogs, keys and figures' };
const CONSOLE_STEP =
  '<a href="console">Open the console</a> with your account, or with the link that the service printed. ';
const CARDS = [
  { href: 'graphql', name: 'GraphQL explorer', text: 'Write and run queries, mutations and subscriptions' },
  { href: 'docs', name: 'REST reference', text: 'Every endpoint, with examples that run' },
  { href: 'guides', name: 'Guides', text: 'From the first ten minutes to several servers' },
];

/** @param readiness `ok`, or why the service is not ready */
export function homePage({ isConsoleOn }: Pick<Services, 'isConsoleOn'>, readiness: string): Promise<StaticFile> {
  const state =
    readiness === 'ok'
      ? '<strong class="good">Ready</strong>: the service and its database respond'
      : `<strong class="bad">Unavailable</strong>: ${readiness}`;
  return htmlPage({
    title: 'Atrium',
    root: './',
    body: `<h1>Atrium is running</h1>
<p class="lead">An application backend: sessions, users, custom records, chat, live events, push notifications, files,
places and AI assistants, over REST, GraphQL and WebSocket.</p>
<p class="state">${state} · version ${serviceVersion()}</p>
<h2>Next step</h2>
<p>${isConsoleOn ? CONSOLE_STEP : ''}<a href="guides/tutorials/first-ten-minutes">The first ten minutes</a> lead from here to a
live chat between two users. The API key of the first application is in <code>credentials.json</code> in the data folder.</p>
${cardLinks([...(isConsoleOn ? [CONSOLE_CARD] : []), ...CARDS])}
<div class="foot"><h2>For machines</h2>
<p><a href="openapi.json">OpenAPI document</a> · <a href="guides/project/schema.graphql">GraphQL schema</a> ·
<a href="healthz">health</a> · <a href="readyz">readiness</a></p></div>`,
  });
}

export function notFoundPage(root: string): Promise<StaticFile> {
  return htmlPage({
    title: 'Not found – Atrium',
    root,
    body: `<h1>Nothing here</h1>
<p class="lead">This address has no page. The <a href="${root}">start page</a> lists what this server offers; the
<a href="${root}docs">REST reference</a> lists all endpoints.</p>`,
  });
}
