import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Services } from '../context.ts';
import { NotFoundError } from '../lib/errors.ts';
import { accountSettingsRoutes } from './account-settings.ts';
import { addressBookRoutes } from './address-book.ts';
import { aiRoutes } from './ai.ts';
import { classRoutes } from './classes.ts';
import { contentRoutes } from './content.ts';
import { dialogRoutes } from './dialogs.ts';
import { RestDoor } from './door.ts';
import { eventRoutes } from './events.ts';
import { geodataRoutes } from './geodata.ts';
import { messageRoutes } from './messages.ts';
import { rulesOf } from './operations.ts';
import { passwordResetRoutes } from './password-resets.ts';
import { reactionRoutes } from './reactions.ts';
import { recordChangeRoutes } from './record-changes.ts';
import { recordFileRoutes } from './record-files.ts';
import { recordRoutes } from './records.ts';
import type { Route } from './route.ts';
import { sessionRoutes } from './sessions.ts';
import { subscriptionRoutes } from './subscriptions.ts';
import { userRoutes } from './users.ts';

/** Every legacy endpoint; fixed words stand before the parameters they would match. */
export const routes: Route[] = [
  ...accountSettingsRoutes,
  ...sessionRoutes,
  ...passwordResetRoutes,
  ...userRoutes,
  ...dialogRoutes,
  ...messageRoutes,
  ...reactionRoutes,
  ...classRoutes,
  ...recordFileRoutes,
  ...recordChangeRoutes,
  ...recordRoutes,
  ...contentRoutes,
  ...subscriptionRoutes,
  ...eventRoutes,
  ...addressBookRoutes,
  ...geodataRoutes,
  ...aiRoutes,
];

/** The REST door: each endpoint runs one GraphQL operation in process, under the same rules as every other door. */
export function restAdapter(services: Services, tokenHeaders: readonly string[]): Express {
  const door = new RestDoor(services, tokenHeaders);
  const app = express();
  app.disable('x-powered-by');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.use((request, response, next) => door.enter(request, response, next));
  for (const endpoint of routes) {
    const rules = rulesOf(endpoint);
    app[endpoint.method](endpoint.path, (request, response, next) => {
      if (!isMeant(endpoint, request)) next();
      else void door.serve(endpoint, rules, request, response);
    });
  }
  app.use((request, response) => door.refuse(request, response, new NotFoundError()));
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    // Express itself fails only at a path that can't be decoded, which is no path of ours.
    return door.refuse(request, response, error instanceof URIError ? new NotFoundError() : (error as Error));
  });
  return app;
}

/** Whether the values of a path are those that the endpoint is for. */
function isMeant({ several, only = {} }: Route, { params }: Request): boolean {
  if (several && !String(params.ids).includes(',')) return false;
  return Object.entries(only).every(([name, form]) => form.test(String(params[name])));
}
