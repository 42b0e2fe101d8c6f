import { tracing } from '../platform/observability/tracing.ts';

/** Longer statements are truncated: the rest is rows of placeholders. */
const MAX_TEXT_CHARACTERS = 4_000;

/** Only if it has a parent: background reads belong to no request. The text is constant and contains no values. */
export function underSpan<Result>(sql: string, run: () => Promise<Result>): Promise<Result> {
  if (!tracing?.here()) return run();
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql.trim().slice(0, MAX_TEXT_CHARACTERS) };
  return tracing.span(nameOf(sql), { kind: 'client', attributes }, run);
}

function nameOf(sql: string): string {
  return /[a-z]+/i.exec(sql.replace(/^\s*\/\*.*?\*\//, ''))?.[0].toUpperCase() ?? 'SQL';
}
