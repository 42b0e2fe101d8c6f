export interface Place {
  row: number;
  column: number;
}

/** Rows that the keys for pages move by. */
export const PAGE_ROWS = 15;

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>;

/** The cell that a key leads to, which may be outside of the grid; undefined for other keys. */
export function cellAfter({ key, ctrlKey, metaKey }: Pressed, { row, column }: Place): Place | undefined {
  const isFar = ctrlKey || metaKey;
  const step = isFar ? Number.POSITIVE_INFINITY : 1;
  const places: Record<string, Place> = {
    ArrowUp: { row: row - step, column },
    ArrowDown: { row: row + step, column },
    ArrowLeft: { row, column: column - step },
    ArrowRight: { row, column: column + step },
    PageUp: { row: row - PAGE_ROWS, column },
    PageDown: { row: row + PAGE_ROWS, column },
    Home: { row: isFar ? 0 : row, column: 0 },
    End: { row: isFar ? Number.POSITIVE_INFINITY : row, column: Number.POSITIVE_INFINITY },
  };
  return places[key];
}
