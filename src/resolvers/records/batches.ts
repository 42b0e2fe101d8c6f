import type { ActingContext } from '../../context.ts';
import { Prisma, type Transaction } from '../../db/client.ts';
import { runLong } from '../../db/long-work.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import type { KnownClass } from '../classes/catalogue.ts';
import { allows, readable, requireOpenClass } from './access.ts';
import { countValues, readRecordFilter } from './filter.ts';
import { conditionOf } from './list.ts';
import { withClass } from './lock-class.ts';
import { changing } from './write.ts';

/** Records of one transaction. */
const BATCH = 500;

export interface BatchChange<Row extends { id: string }> {
  operation: 'update' | 'delete';
  criteria: unknown;
  /** The error of a request that names no criteria. */
  noCriteria: string;
  /**
   * Locks and changes the next records.
   * @param matching `WHERE … ORDER BY … LIMIT` of `records r`
   * @returns the records, in the order of their ids
   */
  change: (transaction: Transaction, known: KnownClass, matching: Prisma.Sql) => Promise<Row[]>;
  /** Called for each batch that is committed. */
  onCommit: (rows: Row[]) => void;
}

/**
 * Changes every record that the criteria match and that the caller may read and change, in the order of their ids. Each
 * batch is committed by itself, so that no lock is held for long: when one fails, those before it stay changed.
 * @throws {UnprocessableError} no criteria, unknown fields, or values against the rules
 * @throws {ServiceUnavailableError} too many of the caller's changes wait already
 */
export function changeInBatches<Row extends { id: string }>(
  className: string,
  { operation, criteria, noCriteria, change, onCommit }: BatchChange<Row>,
  context: ActingContext,
): Promise<void> {
  const { viewer } = context;
  const changeBatch = (after: string): Promise<Row[]> =>
    withClass(className, context, async (known) => {
      const filter = readRecordFilter(criteria, known.fields, 'refuse');
      if (countValues(filter) === 0) throw new UnprocessableError(noCriteria);
      requireOpenClass(operation, known, viewer);
      const matching = Prisma.sql`WHERE ${conditionOf(known, filter)} AND ${readable(known, viewer)}
        AND ${allows(operation, known, viewer)} AND r.id > ${after} ORDER BY r.id LIMIT ${BATCH}`;
      return changing(known, context, (transaction) => change(transaction, known, matching));
    });
  return runLong(jobOwnerOf(viewer), async (runStep) => {
    let count = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const last: string = after;
      const rows = await runStep(() => changeBatch(last)).catch((error: unknown) => {
        throw withProgress(error, count);
      });
      onCommit(rows);
      count += rows.length;
      after = rows.length < BATCH ? undefined : rows.at(-1)!.id;
    }
  });
}

function withProgress(error: unknown, count: number): unknown {
  if (count === 0 || !(error instanceof UnprocessableError)) return error;
  return new UnprocessableError(...error.sentences, `Records that were changed before the failure: ${count}`);
}
