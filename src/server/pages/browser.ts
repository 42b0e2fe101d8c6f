import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import type { Services } from '../../context.ts';
import { documentation } from './docs.ts';
import { explorerPage } from './explorer.ts';
import { DOCS_PATHS, RESET_PAGE } from './paths.ts';
import { resetPasswordPage } from './reset-password.ts';

type PageHandler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** @param openApi called once, on the first request */
export function browserPages(services: Services, openApi: () => object, tokenHeader: string): PageHandler {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('strict routing').enable('case sensitive routing');
  app.get('/graphql', explorerPage(tokenHeader));
  const docs = documentation(services, openApi);
  for (const path of DOCS_PATHS) app.get(path, docs(path));
  const { show, submit } = resetPasswordPage(services);
  app.get(RESET_PAGE, show).post(RESET_PAGE, submit);
  return (request, response, next) => (app as unknown as PageHandler)(request, response, next);
}
