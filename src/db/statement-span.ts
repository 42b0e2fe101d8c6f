import { tracing } from '../server/observability/tracing.ts';

/** Longer statements are cut: they are many rows of placeholders. */
const MAX_TEXT = 4_000;

/**
 * Sends a statement in a span of its own, if that is below another: what is read in the background is part of nothing
 * that anybody would look for. A statement's text is ours and has no values in it.
 */
export function underSpan<Result>(sql: string, run: () => Promise<Result>): Promise<Result> {
  if (!tracing?.here()) return run();
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql.trim().slice(0, MAX_TEXT) };
  return tracing.span(nameOf(sql), { kind: 'client', attributes }, run);
}

/** `SELECT`, `WITH`, `COMMIT` … */
function nameOf(sql: string): string {
  return /[a-z]+/i.exec(sql.replace(/^\s*\/\*.*?\*\//, ''))?.[0].toUpperCase() ?? 'SQL';
}
