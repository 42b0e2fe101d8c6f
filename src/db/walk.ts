import type pg from 'pg';

/** About what one answer of the database holds. */
const BATCH_CHARACTERS = 512 * 1024;
const FIRST_BATCH = 20;
const MAX_BATCH = 2_000;

/** Values stay the text in which PostgreSQL sends them. */
const AS_TEXT = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/**
 * The rows of a query in the transaction of the connection, each as the text of its values. However many there are and
 * however long they are, few are in memory: the cursor is asked for as many as the last ones let expect.
 */
export async function* walk(
  client: pg.Client,
  select: string,
  values: unknown[] = [],
): AsyncGenerator<(string | null)[]> {
  await client.query(`DECLARE walk NO SCROLL CURSOR FOR ${select}`, values);
  for (let batch = FIRST_BATCH; ; ) {
    const text = `FETCH FORWARD ${batch} FROM walk`;
    const { rows } = await client.query<(string | null)[]>({ text, rowMode: 'array', types: AS_TEXT });
    yield* rows;
    if (rows.length < batch) break;
    const characters = rows.reduce((sum, row) => sum + lengthOf(row), 0) / rows.length;
    batch = Math.max(1, Math.min(MAX_BATCH, Math.floor(BATCH_CHARACTERS / characters)));
  }
  await client.query('CLOSE walk');
}

function lengthOf(row: (string | null)[]): number {
  return row.reduce((sum, text) => sum + (text?.length ?? 0) + 1, 0);
}
