import type pg from 'pg';

const BATCH_CHARACTERS = 512 * 1024;
const FIRST_BATCH = 20;
const MAX_BATCH = 2_000;

const AS_TEXT = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** Memory is bounded: the length of the previous rows determines the size of the next fetch. */
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
