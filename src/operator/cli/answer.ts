import { styleText } from 'node:util';

export interface CommandOutput {
  value: object;
  columns?: readonly string[];
  /** Why the command exits with 1 after it has printed the value. */
  failure?: string;
}

export function print(
  { value, columns = [] }: Omit<CommandOutput, 'failure'>,
  { json }: { json: boolean },
): Promise<void> {
  const text = json ? `${JSON.stringify(value)}\n` : Array.isArray(value) ? table(value, columns) : lines(value);
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}

export function pick<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;
}

/** Only on terminals, and not with `NO_COLOR` (no-color.org). */
export function styled(stream: NodeJS.WriteStream, style: 'bold' | 'red', text: string): string {
  return styleText(style, text, { stream });
}

export function bold(text: string): string {
  return styled(process.stdout, 'bold', text);
}

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

function rowsOf(content: unknown): object[] | undefined {
  if (Array.isArray(content)) return content.every((one) => typeof one === 'object') ? content : undefined;
  if (content === null || typeof content !== 'object' || content instanceof Date) return undefined;
  return Object.entries(content).map(([name, row]) => ({ name, ...row }));
}

function table(rows: object[], columns: readonly string[]): string {
  if (rows.length === 0) return 'none\n';
  const cells = rows.map((row) => columns.map((column) => cell((row as Record<string, unknown>)[column])));
  const [head = '', ...lines] = aligned([[...columns], ...cells]).split(/(?<=\n)/);
  return [bold(head), ...lines].join('');
}

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

function cell(content: unknown): string {
  if (content === null || content === undefined || content === '') return '-';
  if (content instanceof Date) return content.toISOString();
  if (Array.isArray(content)) return content.map((one) => cell(one?.name ?? one)).join(', ') || '-';
  if (typeof content === 'boolean') return content ? 'on' : 'off';
  return harmless(String(content));
}

/** API clients choose the names, which must not send control sequences to the operator's terminal. */
function harmless(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
