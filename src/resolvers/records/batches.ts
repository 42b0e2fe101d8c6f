import type { ActingContext } from '../../context.ts';
import { Prisma, type Transaction } from '../../db/client.ts';
import { runLong } from '../../db/long-work.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { type Problem, problem } from '../../lib/problems.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { allows, readable, requireOpenClass } from './access.ts';
import { countValues, readRecordFilter } from './filter.ts';
import { withClass } from './lock-class.ts';
import { conditionOf } from './plan.ts';
import { FIELD_BYTES, fittingCount, type HeldRecord } from './sizes.ts';
import { changing } from './write.ts';

/** Records per transaction; fewer if they are large (`MAX_BATCH_BYTES`). */
export const MAX_BATCH = 500;
/** Minimum number of records to select after a batch of large ones. */
const MIN_BATCH = 16;

const LOCKS = { update: Prisma.sql`FOR NO KEY UPDATE`, delete: Prisma.sql`FOR UPDATE` };

export interface BatchChange<Row extends { id: string }> {
  operation: 'update' | 'delete';
  criteria: unknown;
  noCriteria: Problem;
  /** Maximum growth per record, and minimum cost of changing it. */
  addedBytes: number;
  /** Receives locked records; returns the changed ones by id. */
  change: (transaction: Transaction, definition: ClassDefinition, locked: HeldRecord[]) => Promise<Row[]>;
  onCommit: (rows: Row[]) => void;
}

/** By id, in batches that commit separately, so that locks are short; earlier batches remain if a later one fails. */
export function changeInBatches<Row extends { id: string }>(
  className: string,
  { operation, criteria, noCriteria, addedBytes, change, onCommit }: BatchChange<Row>,
  context: ActingContext,
): Promise<void> {
  const { viewer } = context;
  const changeBatch = (after: string, limit: number): Promise<{ rows: Row[]; isLast: boolean }> =>
    withClass(className, context, async (definition) => {
      const filter = readRecordFilter(criteria, definition.fields, 'refuse');
      if (countValues(filter) === 0) throw new UnprocessableError(noCriteria);
      requireOpenClass(operation, definition, viewer);
      return changing(definition, context, async (transaction) => {
        const found = await transaction.$queryRaw<HeldRecord[]>`
          SELECT r.id, ${FIELD_BYTES} AS bytes FROM records r
          WHERE ${conditionOf(definition, filter)} AND ${readable(definition, viewer)} AND ${allows(operation, definition, viewer)}
            AND r.id > ${after}
          ORDER BY r.id LIMIT ${limit} ${LOCKS[operation]}`;
        const locked = found.slice(0, fittingCount(found.map(({ bytes }) => bytes + addedBytes)));
        const rows = await change(transaction, definition, locked);
        return { rows, isLast: found.length < limit && locked.length === found.length };
      });
    });
  return runLong(jobOwnerOf(viewer), async (runStep) => {
    let count = 0;
    let limit = MAX_BATCH;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const last: string = after;
      const { rows, isLast } = await runStep(() => changeBatch(last, limit)).catch((error: unknown) => {
        throw withProgress(error, count);
      });
      onCommit(rows);
      count += rows.length;
      // Adapts to the record size, because sizes of records that do not fit are read for nothing.
      limit = Math.min(Math.max(2 * rows.length, MIN_BATCH), MAX_BATCH);
      after = isLast ? undefined : rows.at(-1)!.id;
    }
  });
}

function withProgress(error: unknown, count: number): unknown {
  if (count === 0 || !(error instanceof UnprocessableError)) return error;
  return new UnprocessableError(...error.problems, problem('PARTLY_CHANGED', { count }));
}
