import type { BlockedUser, ChatContact, People } from '@atrium/client';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useLive } from './live.ts';
import { useAtrium } from './provider.tsx';

export interface UsedContacts extends Pick<People, 'request' | 'accept' | 'reject' | 'remove'> {
  /** With the open requests of both directions. */
  contacts: readonly ChatContact[];
}

/** The contacts of the user and their requests, kept up to date. The functions stay the same. */
export function useContacts(): UsedContacts {
  const { people } = useAtrium();
  const contacts = useLive(people.contacts);
  return useMemo(
    () => ({
      contacts,
      request: (userId) => people.request(userId),
      accept: (userId) => people.accept(userId),
      reject: (userId) => people.reject(userId),
      remove: (userId) => people.remove(userId),
    }),
    [contacts, people],
  );
}

export interface UsedBlocks extends Pick<People, 'block' | 'unblock'> {
  /** Undefined until they are loaded. */
  blocked: readonly BlockedUser[] | undefined;
}

/** The users whom the user has blocked. Each component that uses it loads them. */
export function useBlocks(): UsedBlocks {
  const { people } = useAtrium();
  const [blocked, setBlocked] = useState<readonly BlockedUser[]>();
  const load = useCallback(() => people.blocked().then(setBlocked), [people]);
  useEffect(() => {
    load().catch(() => {});
  }, [load]);
  return useMemo(
    () => ({
      blocked,
      block: (userId, options) => people.block(userId, options).then(load),
      unblock: (userId) => people.unblock(userId).then(load),
    }),
    [blocked, people, load],
  );
}
