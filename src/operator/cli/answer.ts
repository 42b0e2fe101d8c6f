/** What a command prints: one thing, or a list of things. */
export interface Answer {
  value: object;
  /** Of a list: what its table shows. */
  columns?: readonly string[];
}

/** Prints JSON, a table, or a line for each property; lists within a single thing are tables below it. */
export function print({ value, columns = [] }: Answer, { json }: { json: boolean }): Promise<void> {
  const text = json ? `${JSON.stringify(value)}\n` : Array.isArray(value) ? table(value, columns) : lines(value);
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}

/** The named properties of a row, in that order: what is not named is not shown. */
export function pick<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;
}

/** Whatever text in one line, harmless to a terminal. */
export function oneLine(text: string): string {
  return harmless(text.trim().replace(/\s+/g, ' '));
}

function lines(value: object): string {
  const entries = Object.entries(value);
  const simple = entries.filter(([, content]) => !rowsOf(content)).map(([name, content]) => [name, cell(content)]);
  const tables = entries.flatMap(([name, content]) => {
    const rows = rowsOf(content);
    return rows ? [`\n${name}\n${table(rows, [...new Set(rows.flatMap((row) => Object.keys(row)))])}`] : [];
  });
  return [aligned(simple), ...tables].join('');
}

/** What is shown as a table: a list, or an object of objects by their names. */
function rowsOf(content: unknown): object[] | undefined {
  if (Array.isArray(content)) return content;
  if (content === null || typeof content !== 'object' || content instanceof Date) return undefined;
  return Object.entries(content).map(([name, row]) => ({ name, ...row }));
}

function table(rows: object[], columns: readonly string[]): string {
  if (rows.length === 0) return 'none\n';
  const cells = rows.map((row) => columns.map((column) => cell((row as Record<string, unknown>)[column])));
  return aligned([[...columns], ...cells]);
}

/** Columns side by side, each as wide as its widest cell. */
function aligned(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((text, column) => text.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Lists of things by their names. */
function cell(content: unknown): string {
  if (content === null || content === undefined || content === '') return '-';
  if (content instanceof Date) return content.toISOString();
  if (Array.isArray(content)) return content.map((one) => cell(one?.name ?? one)).join(', ') || '-';
  if (typeof content === 'boolean') return content ? 'on' : 'off';
  return harmless(String(content));
}

/** Names come from whoever has an API key, and must not command the operator's terminal. */
function harmless(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
