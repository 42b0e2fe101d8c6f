import { t } from '@lingui/core/macro';
import { Box, Text, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowDown, IconArrowsSort } from '@tabler/icons-react';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Failure, Loading } from './page.tsx';
import './rows.css';

export interface Column<Row> {
  name: string;
  /** A track of CSS grid: `2fr` or `8rem`. */
  width: string;
  render: (row: Row) => ReactNode;
  /** Not shown on phones. */
  isMinor?: boolean;
  /** Set if the list can be sorted by it, largest first; a second press sorts as before. */
  sort?: { isSorted: boolean; onToggle: () => void };
}

export interface RowsPage<Row> {
  edges: { cursor?: string; node: Row }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
  totalCount?: number;
}

interface RowsProps<Row> {
  label: string;
  of: UseInfiniteQueryResult<InfiniteData<RowsPage<Row>>, Error>;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string | number;
  /** Shown instead of no rows. */
  empty: ReactNode;
}

const ROW_HEIGHT = 52;

/** A table that loads pages while it scrolls and renders only what is visible, so that its length does not matter. */
export function Rows<Row>({ label, of: list, columns, keyOf, empty }: RowsProps<Row>) {
  const rows = list.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(box.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useNextPage(list, last, rows.length);
  useRowKeys(box);

  if (list.error && rows.length === 0) return <Failure error={list.error} retry={list.refetch} />;
  if (list.isPending)
    return (
      <Box className="framed rows-card" p="sm">
        <Loading height={28} />
      </Box>
    );
  if (rows.length === 0) return empty;
  const template = { '--columns': columns.map(({ width }) => width).join(' ') } as React.CSSProperties;
  return (
    <Box ref={box} className="framed rows-card" style={template}>
      <table className="rows" aria-label={label} aria-rowcount={list.data!.pages[0]!.totalCount ?? -1}>
        <thead>
          <tr className="rows-head">
            {columns.map(({ name, isMinor, sort }) => (
              <th
                key={name}
                scope="col"
                className={isMinor ? 'rows-minor' : undefined}
                aria-sort={sort && (sort.isSorted ? 'descending' : 'none')}
              >
                {sort ? <SortButton name={name} {...sort} /> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, size }) => {
            const row = rows[index]!;
            const style = { height: size, transform: `translateY(${start - virtual.options.scrollMargin}px)` };
            return (
              <tr key={keyOf(row)} className="rows-row" style={style} aria-rowindex={index + 1}>
                {columns.map(({ name, render, isMinor }) => (
                  <td key={name} className={isMinor ? 'rows-minor' : undefined}>
                    {render(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {list.isFetchingNextPage && <Text p="sm" c="dimmed" role="status">{t`Loading more…`}</Text>}
      {list.error && <Failure error={list.error} retry={() => list.fetchNextPage()} />}
    </Box>
  );
}

function SortButton({ name, isSorted, onToggle }: NonNullable<Column<never>['sort']> & { name: string }) {
  const Icon = isSorted ? IconArrowDown : IconArrowsSort;
  return (
    <UnstyledButton className="rows-sort" onClick={onToggle} title={t`Sort by ${name}`}>
      {name}
      <Icon size={14} aria-hidden="true" />
    </UnstyledButton>
  );
}

/** Loads the next page before the last row is shown. */
export function useNextPage(
  { hasNextPage, isFetchingNextPage, fetchNextPage }: UseInfiniteQueryResult,
  lastShown: number,
  loaded: number,
): void {
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && lastShown >= loaded - 20) void fetchNextPage();
  }, [lastShown, loaded, hasNextPage, isFetchingNextPage, fetchNextPage]);
}

/** j and k move between the links of the rows. */
function useRowKeys(box: React.RefObject<HTMLElement | null>): void {
  const move = (step: 1 | -1) => {
    const links = [...(box.current?.querySelectorAll<HTMLElement>('.row-link') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
  };
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
  ]);
}
