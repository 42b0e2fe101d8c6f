import { graphql } from '@atrium/client';
import { useQueryClient } from '@tanstack/react-query';
import { root } from '../root.ts';
import { clientOf, SERVICE } from './clients.ts';
import { recentPlaces } from './recent.ts';

const SIGN_OUT = graphql(`mutation ConsoleSignOut { signOutAdministrator }`);

export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await clientOf(SERVICE).mutate(SIGN_OUT, {});
    queries.clear();
    recentPlaces.clear();
    location.assign(new URL('console/sign-in', root));
  };
}
