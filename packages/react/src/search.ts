import type { Dialog, User } from '@atrium/client';
import { useCallback, useEffect, useState } from 'react';
import { useAtrium } from './provider.tsx';

/** So that a search runs for a word rather than for each letter. */
const PAUSE_MS = 200;
const MAX_FOUND = 30;

type Search<Item> = (text: string, signal: AbortSignal) => Promise<readonly Item[]>;

function useSearch<Item>(text: string, search: Search<Item>) {
  const [state, setState] = useState<{ of?: string; items: readonly Item[] }>({ items: [] });
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const show = (items: readonly Item[]) => {
      if (!signal.aborted) setState({ of: text, items });
    };
    const timer = setTimeout(() => void search(text, signal).then(show, () => show([])), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [search, text]);
  return { items: state.items, isLoading: state.of !== text };
}

export interface FoundUsers {
  /** Those of the previous text while `isLoading`. */
  users: readonly User[];
  isLoading: boolean;
}

/** Up to 30 users whose name or login contains a text. If the application hides its users, the one with this login. */
export function useUserSearch(text: string): FoundUsers {
  const { users: api } = useAtrium();
  const search = useCallback<Search<User>>(
    async (text, signal) => {
      try {
        return (await api.search(text, { first: MAX_FOUND, signal })).items;
      } catch {
        return signal.aborted ? [] : [await api.byLogin(text)];
      }
    },
    [api],
  );
  const { items: users, isLoading } = useSearch(text.trim(), search);
  return { users, isLoading };
}

export interface FoundDialogs {
  /** Those of the previous name while `isLoading`. */
  dialogs: readonly Dialog[];
  isLoading: boolean;
}

/** Up to 30 dialogs whose name contains a text, also those that the list has not loaded. None for an empty text. */
export function useDialogSearch(name: string): FoundDialogs {
  const { chat } = useAtrium();
  const search = useCallback<Search<Dialog>>(
    async (name, signal) => (name ? (await chat.dialogs({ name, first: MAX_FOUND, signal })).items : []),
    [chat],
  );
  const { items: dialogs, isLoading } = useSearch(name.trim(), search);
  return { dialogs, isLoading };
}
