import { db, Prisma, type Transaction } from '../../db/client.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import { isObject, type ParameterValue } from '../../lib/bracket-keys.ts';
import { BadInputError, ForbiddenError, UnprocessableError } from '../../lib/errors.ts';
import { type Catalogue, type ClassDefinition, currentCatalogue } from '../classes/catalogue.ts';
import type { StoredFields } from '../classes/values.ts';
import { FieldChanges, newFields } from '../records/changes.ts';
import { whereOf } from '../records/conditions.ts';
import { readRecordFilter } from '../records/filter.ts';
import { lockClass } from '../records/lock-class.ts';
import { presentFields } from '../records/rows.ts';

// A dialog may carry values of the fields of one class. They are cast, kept and shown as those of a record;
// who may change them is a matter of the dialog alone.

/** What a client says of the data of a dialog. */
export interface DataInput {
  /** Class whose fields the dialog is to carry. */
  dataClassName?: string | null;
  /** Values by field, in any form that `castField` takes; names that the class does not know are ignored. */
  data?: unknown;
}

/** The data of a dialog by the class that its values were cast by. */
export interface DialogData {
  class: ClassDefinition;
  fields: StoredFields;
}

export function namesData({ dataClassName, data }: DataInput): boolean {
  return dataClassName != null || data != null;
}

/**
 * The data of a new dialog; undefined when it is to carry none.
 * @param problems gets the sentences of values against the rules
 * @throws {ForbiddenError} `Undefined class` @throws {UnprocessableError} that, and problems there are already
 */
export function newData(input: DataInput, { byName }: Catalogue, problems: string[]): DialogData | undefined {
  if (!namesData(input)) return undefined;
  const known = byName.get(input.dataClassName ?? '');
  if (!known && problems.length > 0) throw new UnprocessableError(...problems);
  if (!known) throw new ForbiddenError('Undefined class');
  const { fields, problems: found } = newFields(known.fields, valuesOf(input));
  problems.push(...found);
  return { class: known, fields };
}

/** What is wrong with a change of data whatever the dialog carries. */
export function dataProblems(input: DataInput, { byName }: Catalogue): string[] {
  const fields = valuesOf(input);
  const known = byName.get(input.dataClassName ?? '');
  return known ? new FieldChanges(known.fields, { fields }).problems() : [];
}

/**
 * The data of a held dialog after a change. A class that it does not carry yet takes the place of the other.
 * @throws {ForbiddenError} `Undefined class`: it is unknown, or none is named and the dialog carries none
 * @throws {UnprocessableError} values against the rules
 */
export function changedData(dialog: Dialog, input: DataInput, { byName, byKey }: Catalogue): DialogData {
  const { dataClassName } = input;
  const known = dataClassName == null ? byKey.get(dialog.dataClassKey ?? 0) : byName.get(dataClassName);
  if (!known) throw new ForbiddenError('Undefined class');
  const isCarried = known.key === dialog.dataClassKey;
  const before = isCarried ? (dialog.data as StoredFields) : {};
  const { fields, problems } = new FieldChanges(
    known.fields,
    { fields: valuesOf(input) },
    { isNew: !isCarried },
  ).changed(before);
  if (problems.length > 0) throw new UnprocessableError(...problems);
  return { class: known, fields };
}

/**
 * The columns of data; nobody changes or deletes its class until the transaction ends.
 * @throws {ClassChanged} the class is another one by now
 */
export async function dataColumns(
  transaction: Transaction,
  data: DialogData | undefined,
): Promise<{ dataClassKey?: number; data?: Prisma.InputJsonObject }> {
  if (!data) return {};
  await lockClass(transaction, data.class);
  return { dataClassKey: data.class.key, data: data.fields as Prisma.InputJsonObject };
}

/** What a list of dialogs `d` is asked of their data: without a class nothing can be asked. */
export function dataCondition(known: ClassDefinition | undefined): (filter: unknown) => Prisma.Sql {
  return (filter) => {
    if (!known) throw new ForbiddenError('Undefined class');
    if (!isObject(filter as ParameterValue)) throw new BadInputError('data should be an object');
    const condition = readRecordFilter(filter, known.fields, {
      unknown: 'ignore',
      isOfClassOnly: true,
      called: (name) => `data[${name}]`,
    });
    return whereOf(condition, { fields: Prisma.sql`d.data`, hasSlots: false });
  };
}

/** As clients see it. */
export interface PresentedData {
  className: string;
  fields: Record<string, unknown>;
}

/** The data of each dialog; null for one that carries none, or whose class is deleted. */
export async function presentData(dialogs: readonly Dialog[]): Promise<(PresentedData | null)[]> {
  const carrier = dialogs.find(({ dataClassKey }) => dataClassKey !== null);
  if (!carrier) return dialogs.map(() => null);
  const { byKey } = await currentCatalogue(carrier.applicationId);
  return dialogs.map(({ dataClassKey, data }) => {
    const known = byKey.get(dataClassKey ?? 0);
    return known
      ? { className: known.name, fields: presentFields({ class: known, fields: data as StoredFields }) }
      : null;
  });
}

/** Dialogs of one statement, so that none holds its locks for long. */
const BATCH = 1_000;

/** Takes the data of a deleted class from the dialogs that carried it, bit by bit. */
export async function removeData(applicationId: number, classKey: number): Promise<void> {
  while (
    (await db.$executeRaw`
      WITH locked AS MATERIALIZED (
        SELECT d.id FROM dialogs d WHERE d.application_id = ${applicationId} AND d.data_class_key = ${classKey}
        ORDER BY d.id LIMIT ${BATCH} FOR NO KEY UPDATE
      )
      UPDATE dialogs d SET data_class_key = NULL, data = NULL FROM locked
      WHERE d.application_id = ${applicationId} AND d.id = locked.id AND d.data_class_key = ${classKey}`) > 0
  );
}

function valuesOf({ data }: DataInput): unknown {
  if (data == null || isObject(data as ParameterValue)) return data;
  throw new BadInputError('data should be an object');
}
