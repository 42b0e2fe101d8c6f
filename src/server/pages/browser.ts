import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type Response } from 'express';
import { BACKUP_PATH } from '../../administration/jobs/downloads.ts';
import type { Services } from '../../context.ts';
import { presentError } from '../../graphql/presented-errors.ts';
import type { Health } from '../../platform/observability/health.ts';
import { schema } from '../../schema/index.ts';
import { backupDownload } from './backups.ts';
import { documentation } from './docs.ts';
import { Guides } from './guides.ts';
import { homePage, notFoundPage } from './home.ts';
import { CONSOLE, DOCS_PATHS, RESET_PAGE, SIGN_IN_PAGES, VERIFY_PAGE } from './paths.ts';
import { providerSignInPages } from './provider-sign-in.ts';
import { recordImage } from './record-images.ts';
import { type Endpoints, endpointSections, schemaSections } from './references.ts';
import { resetPasswordPage } from './reset-password.ts';
import { JSON_TYPE, type StaticFile, sendFile, served } from './static-files.ts';
import { verifyEmailPage } from './verify-email.ts';
import { builtAssets, builtPage, favicon } from './web-files.ts';

type PageHandler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

const MAX_QUERY_LENGTH = 200;

/** @param openApi called once, on the first request */
export function browserPages(services: Services, health: Health, openApi: () => Endpoints): PageHandler {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('strict routing').enable('case sensitive routing');

  const send = async (request: Request, response: Response, find: () => Promise<StaticFile | undefined>) => {
    try {
      const file = await find();
      sendFile(request, response, file ?? (await notFoundPage(rootOf(request))), file ? 200 : 404);
    } catch (error) {
      const { message } = presentError(error, services.log);
      if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'text/plain' }).end(`${message}\n`);
    }
  };
  const page = (path: string, make: () => Promise<StaticFile>) => {
    const made = onSuccess(make);
    app.get(path, (request, response) => send(request, response, made));
  };

  const homes = new Map<string, () => Promise<StaticFile>>();
  app.get('/', (request, response) =>
    send(request, response, async () => {
      const readiness = await health.readiness();
      const home = homes.get(readiness) ?? onSuccess(() => homePage(services, readiness));
      homes.set(readiness, home);
      return home();
    }),
  );
  page('/favicon.svg', favicon);
  page('/favicon.ico', favicon);
  page('/robots.txt', () => served('text/plain; charset=utf-8', 'User-agent: *\nDisallow: /\n'));

  page('/graphql', () => builtPage('explorer.html', './', 'Accept, Accept-Encoding'));
  const assets = onSuccess(async () => {
    const files = await builtAssets();
    return new Map([...files].map(([name, load]) => [name, onSuccess(load)]));
  });
  app.get('/console/assets/:name', (request, response) =>
    send(request, response, async () => (await assets()).get(request.params.name)?.()),
  );

  if (services.isConsoleOn) {
    app.all(`${BACKUP_PATH}/:ticket`, backupDownload(services));
    app.get(`${CONSOLE}/record-images/:application/:className/:id/:fieldName`, recordImage(services));
    app.get([CONSOLE, `${CONSOLE}/*page`], (request, response) =>
      send(request, response, () => builtPage('index.html', rootOf(request))),
    );
  }

  const docs = documentation(services, openApi);
  for (const path of DOCS_PATHS) page(path, docs[path]);

  const guides = onSuccess(() => Guides.load(() => [...endpointSections(openApi()), ...schemaSections(schema)]));
  const guide = async (address: string) => (await guides()).page(address);
  app.get('/guides', (request, response) =>
    send(request, response, async () => {
      const { q } = request.query;
      const query = typeof q === 'string' ? q.trim().slice(0, MAX_QUERY_LENGTH) : '';
      if (query === '') return guide('');
      const found = await guides();
      if (request.accepts(['html', 'json']) === 'html') return found.results(query);
      return served(JSON_TYPE, JSON.stringify(await found.find(query)), { Vary: 'Accept, Accept-Encoding' });
    }),
  );
  app.get('/guides/*address', (request, response) =>
    send(request, response, () => guide((request.params.address as unknown as string[]).join('/'))),
  );

  const { show, submit } = resetPasswordPage(services);
  app.get(RESET_PAGE, show).post(RESET_PAGE, submit);
  const verification = verifyEmailPage(services);
  app.get(VERIFY_PAGE, verification.show).post(VERIFY_PAGE, verification.submit);

  const atProvider = providerSignInPages(services);
  const callback = `${SIGN_IN_PAGES}/:application/:provider/callback`;
  app.get(`${SIGN_IN_PAGES}/:application/:provider`, atProvider.begin);
  app.get(callback, atProvider.finish).post(callback, atProvider.finishForm);

  for (const path of ['/graphql', '/guides', CONSOLE, RESET_PAGE, VERIFY_PAGE]) {
    app.get(`${path}/`, (_request, response) => response.redirect(308, `..${path}`));
  }
  return (request, response, next) => (app as unknown as PageHandler)(request, response, next);
}

/** The page for addresses that no endpoint matches. */
export async function sendNotFound(request: IncomingMessage, response: ServerResponse): Promise<void> {
  sendFile(request as Request, response as Response, await notFoundPage(rootOf(request)), 404);
}

function rootOf({ url = '/' }: { url?: string | undefined }): string {
  const depth = url.split('?')[0]!.split('/').length - 2;
  return depth > 0 ? '../'.repeat(depth) : './';
}

/** Later calls share a successful result. */
function onSuccess<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
