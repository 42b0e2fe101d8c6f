import {
  type AtriumClient,
  createClient,
  initGraphQLTada,
  type Scalars,
  type SignIn,
  webStorage,
} from '@atrium/client';
import type { introspection } from './atrium-env.d.ts';

/** Knows the classes of this project: run `npm run types` after a change of classes.json. */
export const graphql = initGraphQLTada<{ introspection: introspection; scalars: Scalars }>();

/** @param askForPassword called when the session has expired */
export function connect(origin: string, askForPassword: () => Promise<SignIn>): AtriumClient {
  return createClient({
    url: `${origin}/backend`,
    sign: async () => (await fetch(`${origin}/atrium-signature`)).json(),
    renew: askForPassword,
    storage: typeof sessionStorage === 'undefined' ? undefined : webStorage(sessionStorage),
  });
}
