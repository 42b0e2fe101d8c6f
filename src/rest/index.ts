import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Services } from '../context.ts';
import { accessRoutes, signInRoutes } from './access.ts';
import { accountSettingsRoutes } from './account-settings.ts';
import { addressBookRoutes } from './address-book.ts';
import { aiRoutes } from './ai.ts';
import { blobRoutes } from './blobs.ts';
import { classRoutes } from './classes.ts';
import { dialogRoutes } from './dialogs.ts';
import { geodataRoutes } from './geodata.ts';
import { RestHandler } from './http/handler.ts';
import type { Route } from './http/route.ts';
import { routingOf } from './http/routing.ts';
import { messageRoutes } from './messages.ts';
import { passwordResetRoutes } from './password-resets.ts';
import { pushEventRoutes } from './push-events.ts';
import { pushSubscriptionRoutes } from './push-subscriptions.ts';
import { reactionRoutes } from './reactions.ts';
import { recordChangeRoutes } from './record-changes.ts';
import { recordFileRoutes } from './record-files.ts';
import { recordRoutes } from './records.ts';
import { sessionRoutes } from './sessions.ts';
import { userRoutes } from './users.ts';

/** Routes that match only some values of a path precede routes that match any. */
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
  ...blobRoutes,
  ...pushSubscriptionRoutes,
  ...pushEventRoutes,
  ...addressBookRoutes,
  ...geodataRoutes,
  ...aiRoutes,
  ...signInRoutes,
  ...accessRoutes,
];

export function restAdapter(
  services: Services,
  tokenHeaders: readonly string[],
): (request: IncomingMessage, response: ServerResponse, next?: () => void) => Promise<void> {
  const handler = new RestHandler(services, tokenHeaders, routingOf(routes));
  return (request, response, next) => handler.answer(request, response, next);
}
