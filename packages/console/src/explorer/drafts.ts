import { useLocalStorage } from '@mantine/hooks';

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
  /** Id of the draft in view. */
  open: number;
  saved: Saved[];
  /** Documents that were run, the last one first. Their variables are not kept, because they may be secret. */
  recent: string[];
}

const MAX_RECENT = 20;

/** Tabs, saved operations and recent ones, kept in this browser. */
export function useDrafts(storedAs: string, sample: string) {
  const [stored, set] = useLocalStorage<Stored>({
    key: storedAs,
    defaultValue: { drafts: [{ id: 1, query: sample, variables: '' }], open: 1, saved: [], recent: [] },
    getInitialValueInEffect: false,
  });
  const { drafts, open, saved, recent } = stored;
  const draft = drafts.find(({ id }) => id === open) ?? drafts[0]!;
  const update = (change: (old: Stored) => Partial<Stored>) => set((old) => ({ ...old, ...change(old) }));
  return {
    ...stored,
    draft,
    change: (texts: Partial<Draft>) =>
      update((old) => ({ drafts: old.drafts.map((one) => (one.id === draft.id ? { ...one, ...texts } : one)) })),
    show: (id: number) => update(() => ({ open: id })),
    /** Shows the tab with this document, or else a new one. */
    add: (query: string, variables = '') =>
      update((old) => {
        const same = old.drafts.find((one) => one.query === query);
        if (same && query !== '') return { open: same.id };
        const id = Math.max(...old.drafts.map((one) => one.id)) + 1;
        return { drafts: [...old.drafts, { id, query, variables }], open: id };
      }),
    /** The last tab is emptied instead. */
    close: (closed: number) =>
      update((old) => {
        const rest = old.drafts.filter(({ id }) => id !== closed);
        if (rest.length === 0) return { drafts: [{ id: closed + 1, query: '', variables: '' }], open: closed + 1 };
        return { drafts: rest, open: old.open === closed ? rest.at(-1)!.id : old.open };
      }),
    save: (name: string) =>
      update(() => ({
        saved: [...saved.filter((one) => one.name !== name), { name, query: draft.query, variables: draft.variables }],
      })),
    forget: (name: string) => update(() => ({ saved: saved.filter((one) => one.name !== name) })),
    noteRun: (query: string) =>
      update(() => ({ recent: [query, ...recent.filter((one) => one !== query)].slice(0, MAX_RECENT) })),
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
