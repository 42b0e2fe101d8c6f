import { t } from '@lingui/core/macro';
import { Skeleton } from '@mantine/core';
import { IconArrowsDiagonal } from '@tabler/icons-react';
import { type CSSProperties, memo, type ReactNode } from 'react';
import { PAGE_ROWS, type Place } from './grid-keys.ts';

export interface GridColumn<Row> {
  key: string;
  name: string;
  header: ReactNode;
  /** Pixels. */
  width: number;
  render: (row: Row) => ReactNode;
  /** What a cell shows: for screen readers, and to copy it. */
  textOf: (row: Row) => string;
  isNumber?: boolean | undefined;
  /** Whether a screen reader reads what its cells show, and not `textOf`. */
  isRead?: boolean | undefined;
  /** Undefined if its cells cannot be edited. */
  editor?: ((row: Row, session: EditSession) => ReactNode) | undefined;
  isEditable?: ((row: Row) => boolean) | undefined;
  /** Space on a cell. Undefined: selects the row. */
  onToggle?: ((row: Row) => void) | undefined;
  /** Stores a text that was pasted; empty after the key Delete. */
  store?: ((row: Row, text: string) => void) | undefined;
}

/** An open editor of a cell. */
export interface EditSession {
  /** The key that opened it, if it is a character. */
  typed: string | undefined;
  close: (next: 'stay' | 'down' | 'right') => void;
}

export const ROW_HEIGHT = 34;
const MAX_SHOWN = 300;
/** Of the first cell, with the buttons of its row. */
export const CHECK_WIDTH = 60;

export type Actions = {
  readonly current: {
    edit: (place: Place) => void;
    setAt: (place: Place) => void;
    select: (row: unknown) => void;
    onOpen: (row: unknown) => void;
  };
};

interface GridRowProps {
  row: unknown;
  index: number;
  start: number;
  columns: readonly GridColumn<unknown>[];
  isSelected: boolean;
  /** Column that has, or would get, the focus. */
  focused: number | undefined;
  editing: (EditSession & { column: number }) | undefined;
  actions: Actions;
}

/** Scrolling renders new rows only. */
export const GridRow = memo(function GridRow({
  row,
  index,
  start,
  columns,
  isSelected,
  focused,
  editing,
  actions,
}: GridRowProps) {
  return (
    <tr
      className="grid-row"
      style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
      aria-rowindex={index + 1}
      aria-selected={isSelected}
    >
      <td className="grid-fixed" style={leftOf(0)}>
        {/* Not those of Mantine, which take most of the time of a row. */}
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={t`Select row ${index + 1}`}
          checked={isSelected}
          onChange={() => actions.current.select(row)}
        />
        <button
          type="button"
          className="grid-open"
          tabIndex={-1}
          aria-label={t`Open row ${index + 1}`}
          onClick={() => actions.current.onOpen(row)}
        >
          <IconArrowsDiagonal size={14} aria-hidden="true" />
        </button>
      </td>
      {columns.map((column, nth) => {
        const place = { row: index, column: nth };
        const isOpen = editing?.column === nth;
        const names = [nth === 0 && 'grid-fixed', column.isNumber && 'grid-number', column.editor && 'grid-editable'];
        return (
          <td
            key={column.key}
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: see the table
            role="gridcell"
            className={names.filter(Boolean).join(' ') || undefined}
            style={nth === 0 ? leftOf(CHECK_WIDTH) : undefined}
            data-cell={`${index}:${nth}`}
            tabIndex={focused === nth ? 0 : -1}
            aria-label={
              isOpen || column.isRead ? undefined : `${column.name}: ${shortened(column.textOf(row)) || t`empty`}`
            }
            aria-readonly={!column.editor}
            onFocus={() => actions.current.setAt(place)}
            onDoubleClick={() => actions.current.edit(place)}
          >
            {isOpen ? column.editor?.(row, editing) : <span>{column.render(row)}</span>}
          </td>
        );
      })}
    </tr>
  );
});

const PLACEHOLDERS = Array.from({ length: PAGE_ROWS }, (_, row) => row * ROW_HEIGHT);

export function Placeholder({ keys }: { keys: readonly string[] }) {
  return PLACEHOLDERS.map((start) => (
    <tr key={start} className="grid-row" style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}>
      {['', ...keys].map((key) => (
        <td key={key}>
          <Skeleton height={10} radius="sm" />
        </td>
      ))}
    </tr>
  ));
}

/** A text may be as long as a record. */
export function shortened(text: string, max = MAX_SHOWN): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

export function leftOf(pixels: number): CSSProperties {
  return { '--left': `${pixels}px` } as CSSProperties;
}
