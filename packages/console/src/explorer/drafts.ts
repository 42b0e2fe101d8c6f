import { useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';

/** The texts of a tab. */
export interface Draft {
  id: number;
  query: string;
  /** JSON; empty without variables. */
  variables: string;
}

export interface Saved extends Omit<Draft, 'id'> {
  name: string;
}

interface Stored {
  drafts: Draft[];
  saved: Saved[];
  /** Documents that were run, the last one first. Their variables are not kept, because they may be secret. */
  recent: string[];
}

const MAX_RECENT = 20;

/** Tabs, saved operations and recent ones, kept in this browser. Each of its windows shows the tab that it chose. */
export function useDrafts(storedAs: string, sample: string) {
  const [stored, set] = useLocalStorage<Stored>({
    key: storedAs,
    defaultValue: { drafts: [{ id: 1, query: sample, variables: '' }], saved: [], recent: [] },
    getInitialValueInEffect: false,
  });
  const { drafts, saved, recent } = stored;
  const [open, show] = useState(drafts.at(-1)!.id);
  const draft = drafts.find(({ id }) => id === open) ?? drafts.at(-1)!;
  const update = (change: Partial<Stored>) => set((old) => ({ ...old, ...change }));
  const next = Math.max(...drafts.map(({ id }) => id)) + 1;
  return {
    ...stored,
    draft,
    show,
    change: (texts: Partial<Draft>) =>
      set((old) => ({ ...old, drafts: old.drafts.map((one) => (one.id === draft.id ? { ...one, ...texts } : one)) })),
    /** In a new tab. */
    add: (query: string, variables = '') => {
      update({ drafts: [...drafts, { id: next, query, variables }] });
      show(next);
    },
    /** The last tab is emptied instead. */
    close: (closed: number) => {
      const rest = drafts.filter(({ id }) => id !== closed);
      update({ drafts: rest.length === 0 ? [{ id: next, query: '', variables: '' }] : rest });
    },
    save: (name: string) =>
      update({
        saved: [...saved.filter((one) => one.name !== name), { name, query: draft.query, variables: draft.variables }],
      }),
    forget: (name: string) => update({ saved: saved.filter((one) => one.name !== name) }),
    noteRun: (query: string) =>
      update({ recent: [query, ...recent.filter((one) => one !== query)].slice(0, MAX_RECENT) }),
  };
}

/** The address of this page that opens the same operation in another browser. */
export function linkTo({ query, variables }: Omit<Draft, 'id'>): string {
  const link = new URL(location.href);
  link.hash = new URLSearchParams({ operation: query, ...(variables !== '' && { variables }) }).toString();
  return link.href;
}

/** What the address of this page opens. It is removed from the address, which would otherwise open it again and again. */
export function takeLinked(): Omit<Draft, 'id'> | undefined {
  const linked = new URLSearchParams(location.hash.slice(1));
  const query = linked.get('operation');
  if (query === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return { query, variables: linked.get('variables') ?? '' };
}
