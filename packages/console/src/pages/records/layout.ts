import { useLocalStorage } from '@mantine/hooks';
import { useMe } from '../../app/administrator.ts';
import type { FilterChange } from './filters.tsx';

/** How a person arranges the columns of a class. */
export interface Columns {
  /** Keys of columns; others follow in the order of the class. */
  order: string[];
  hidden: string[];
  /** Pixels. */
  widths: Record<string, number>;
}

export interface SavedView {
  name: string;
  search: FilterChange;
  columns: Columns;
}

interface Layout {
  columns: Columns;
  views: SavedView[];
}

export const PLAIN: Columns = { order: [], hidden: [], widths: {} };

/** Kept in this browser, for each person. */
export function useLayout(application: number, className: string) {
  const [layout, setLayout] = useLocalStorage<Layout>({
    key: `atrium.console.grid.${useMe().id}.${application}.${className}`,
    defaultValue: { columns: PLAIN, views: [] },
    getInitialValueInEffect: false,
  });
  return {
    ...layout,
    setColumns: (change: Partial<Columns>) => setLayout((old) => ({ ...old, columns: { ...old.columns, ...change } })),
    saveView: (view: SavedView) =>
      setLayout((old) => ({ ...old, views: [...old.views.filter(({ name }) => name !== view.name), view] })),
    removeView: (name: string) =>
      setLayout((old) => ({ ...old, views: old.views.filter((view) => view.name !== name) })),
  };
}

export type ColumnLayout = ReturnType<typeof useLayout>;

export function arranged<Column extends { key: string }>(all: readonly Column[], { order }: Columns): Column[] {
  const rank = ({ key }: Column) => (order.includes(key) ? order.indexOf(key) : order.length);
  return all.toSorted((one, other) => rank(one) - rank(other));
}
