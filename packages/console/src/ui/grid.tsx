import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { cellAfter, PAGE_ROWS, type Place } from './grid-keys.ts';
import {
  type Actions,
  CHECK_WIDTH,
  type EditSession,
  type GridColumn,
  GridRow,
  leftOf,
  Placeholder,
  ROW_HEIGHT,
} from './grid-row.tsx';
import { Failure } from './page.tsx';
import { type RowsPage, useNextPage } from './rows.tsx';
import './grid.css';

interface GridProps<Row> {
  label: string;
  of: UseInfiniteQueryResult<InfiniteData<RowsPage<Row>>, Error>;
  columns: readonly GridColumn<Row>[];
  keyOf: (row: Row) => string;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  onOpen: (row: Row) => void;
  /** Shown instead of no rows. */
  empty: ReactNode;
}

const HEAD_HEIGHT = 36;

/**
 * A spreadsheet that loads pages while it scrolls. Arrow keys move between cells, Enter or a character edits, Space
 * selects the row or toggles a value, Ctrl C and Ctrl V copy and paste, Delete clears, and Shift Enter opens the row.
 */
export function Grid<Row>({ label, of: list, columns, keyOf, selected, onSelect, onOpen, empty }: GridProps<Row>) {
  const { data } = list;
  const rows = useMemo(() => data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [], [data]);
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const [edited, setEdited] = useState<Place & { typed: string | undefined }>();
  const virtual = useVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    getScrollElement: () => box.current,
    overscan: 12,
    scrollPaddingStart: HEAD_HEIGHT,
  });
  const items = virtual.getVirtualItems();
  useNextPage(list, items.at(-1)?.index ?? 0, rows.length);
  const focus = useFocusedCell(box);
  const goTo = (row: number, column: number) => {
    const place = {
      row: Math.max(0, Math.min(rows.length - 1, row)),
      column: Math.max(0, Math.min(columns.length - 1, column)),
    };
    setAt(place);
    virtual.scrollToIndex(place.row);
    focus(place);
  };
  const select = (row: Row) => onSelect(toggled(selected, keyOf(row)));
  const edit = (place: Place, typed?: string) => {
    const column = columns[place.column];
    const row = rows[place.row];
    if (row && column?.editor && column.isEditable?.(row) !== false) setEdited({ ...place, typed });
  };
  const close: EditSession['close'] = (next) => {
    setEdited(undefined);
    goTo(at.row + (next === 'down' ? 1 : 0), at.column + (next === 'right' ? 1 : 0));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at.row];
    const column = columns[at.column];
    if (edited || !row || !column || !(event.target as HTMLElement).matches('td')) return;
    const isControl = event.ctrlKey || event.metaKey;
    const next = cellAfter(event, at);
    if (next) goTo(next.row, next.column);
    else if (event.key === 'Enter' && (event.shiftKey || !column.editor)) onOpen(row);
    else if (event.key === 'Enter' || event.key === 'F2') edit(at);
    else if (event.key === ' ') (column.onToggle ?? select)(row);
    else if (event.key === 'Delete') column.store?.(row, '');
    else if (isControl && event.key === 'c') void navigator.clipboard.writeText(column.textOf(row));
    else if (!isControl && !event.altKey && event.key.length === 1 && column.editor) edit(at, event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const actions = useLatest({ edit, setAt, select, onOpen });

  if (list.error && rows.length === 0) return <Failure error={list.error} retry={list.refetch} />;
  if (!list.isPending && rows.length === 0) return empty;
  const tracks = columns.map(({ width }, index) =>
    index === columns.length - 1 ? `minmax(${width}px, 1fr)` : `${width}px`,
  );
  const style = { '--columns': `${CHECK_WIDTH}px ${tracks.join(' ')}` } as CSSProperties;
  const keys = rows.map(keyOf);
  const isAll = keys.length > 0 && keys.every((key) => selected.has(key));
  return (
    <div className="grid-box" ref={box} style={style}>
      <table
        className="grid"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table with the keyboard of a spreadsheet
        role="grid"
        aria-label={label}
        aria-multiselectable="true"
        aria-rowcount={data?.pages[0]?.totalCount ?? -1}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const row = rows[at.row];
          if (edited || !row) return;
          columns[at.column]?.store?.(row, event.clipboardData.getData('text/plain').replace(/\r?\n$/, ''));
        }}
      >
        <thead>
          <tr className="grid-head">
            <th scope="col" className="grid-fixed" style={leftOf(0)}>
              <input
                type="checkbox"
                aria-label={t`Select all loaded rows`}
                checked={isAll}
                ref={(input) => {
                  if (input) input.indeterminate = !isAll && selected.size > 0;
                }}
                onChange={() => onSelect(new Set(isAll ? [] : keys))}
              />
            </th>
            {columns.map(({ key, header }, index) => (
              <th key={key} scope="col" {...(index === 0 && { className: 'grid-fixed', style: leftOf(CHECK_WIDTH) })}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: list.isPending ? PAGE_ROWS * ROW_HEIGHT : virtual.getTotalSize() }}>
          {list.isPending && <Placeholder keys={columns.map(({ key }) => key)} />}
          {items.map(({ index, start }) => (
            <GridRow
              key={keys[index]!}
              row={rows[index]}
              index={index}
              start={start}
              columns={columns as readonly GridColumn<unknown>[]}
              isSelected={selected.has(keys[index]!)}
              focused={at.row === index ? at.column : undefined}
              editing={edited?.row === index ? { typed: edited.typed, close, column: edited.column } : undefined}
              actions={actions as Actions}
            />
          ))}
        </tbody>
      </table>
      {list.isFetchingNextPage && <Text p="sm" size="sm" c="dimmed" role="status">{t`Loading more…`}</Text>}
      {list.error && <Failure error={list.error} retry={() => list.fetchNextPage()} />}
    </div>
  );
}

/** Moves the focus to a cell, which may only exist after the next rendering. */
function useFocusedCell(box: React.RefObject<HTMLElement | null>): (place: Place) => void {
  const wanted = useRef<Place>(undefined);
  useEffect(() => {
    if (!wanted.current) return;
    const { row, column } = wanted.current;
    const cell = box.current?.querySelector<HTMLElement>(`[data-cell="${row}:${column}"]`);
    if (!cell) return;
    wanted.current = undefined;
    cell.focus();
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  return (place) => {
    wanted.current = place;
  };
}

/** The same object in each rendering, so that rows need not be rendered again. */
function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}

function toggled(selected: ReadonlySet<string>, key: string): Set<string> {
  const next = new Set(selected);
  if (!next.delete(key)) next.add(key);
  return next;
}
