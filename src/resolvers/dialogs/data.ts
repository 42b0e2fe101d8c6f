import DataLoader from 'dataloader';
import { db, Prisma, type Transaction } from '../../db/client.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import { BadInputError, ForbiddenError, UnprocessableError } from '../../lib/errors.ts';
import { isObject, type JsonValue } from '../../lib/json.ts';
import type { Loaders } from '../../lib/loaders.ts';
import { type Problem, problem } from '../../lib/problems.ts';
import { type Catalogue, type ClassDefinition, currentCatalogue } from '../classes/catalogue.ts';
import type { StoredFields } from '../classes/values.ts';
import { FieldChanges, newFields } from '../records/changes.ts';
import { whereOf } from '../records/conditions.ts';
import { readRecordFilter } from '../records/filter.ts';
import { lockClassForWrite } from '../records/lock-class.ts';
import { presentFields } from '../records/rows.ts';

export interface DataInput {
  dataClassName?: string | null;
  /** Values by field, in any form that `castField` accepts; unknown names are ignored. */
  data?: unknown;
}

export interface DialogData {
  class: ClassDefinition;
  fields: StoredFields;
}

export function namesData({ dataClassName, data }: DataInput): boolean {
  return dataClassName != null || data != null;
}

/** @param problems receives the messages of invalid values @throws {ForbiddenError} `Undefined class` */
export function newData(input: DataInput, { byName }: Catalogue, problems: Problem[]): DialogData | undefined {
  if (!namesData(input)) return undefined;
  const definition = byName.get(input.dataClassName ?? '');
  if (!definition && problems.length > 0) throw new UnprocessableError(...problems);
  if (!definition) throw new ForbiddenError('CLASS_UNDEFINED');
  const { fields, problems: found } = newFields(definition.fields, valuesOf(input));
  problems.push(...found);
  return { class: definition, fields };
}

/** Problems that do not depend on the dialog's current data. */
export function dataProblems(input: DataInput, { byName }: Catalogue): Problem[] {
  const fields = valuesOf(input);
  const definition = byName.get(input.dataClassName ?? '');
  return definition ? new FieldChanges(definition.fields, { fields }).problems() : [];
}

/** A different class replaces the data. @throws {ForbiddenError} `Undefined class` @throws {UnprocessableError} */
export function changedData(dialog: Dialog, input: DataInput, { byName, byKey }: Catalogue): DialogData {
  const { dataClassName } = input;
  const definition = dataClassName == null ? byKey.get(dialog.dataClassKey ?? 0) : byName.get(dataClassName);
  if (!definition) throw new ForbiddenError('CLASS_UNDEFINED');
  const isCarried = definition.key === dialog.dataClassKey;
  const before = isCarried ? (dialog.data as StoredFields) : {};
  const { fields, problems } = new FieldChanges(
    definition.fields,
    { fields: valuesOf(input) },
    { isNew: !isCarried },
  ).changed(before);
  if (problems.length > 0) throw new UnprocessableError(...problems);
  return { class: definition, fields };
}

/** Locks the class until the transaction ends. @throws {ClassChanged} it has another version */
export async function dataColumns(
  transaction: Transaction,
  data: DialogData | undefined,
): Promise<{ dataClassKey?: number; data?: Prisma.InputJsonObject }> {
  if (!data) return {};
  await lockClassForWrite(transaction, data.class);
  return { dataClassKey: data.class.key, data: data.fields as Prisma.InputJsonObject };
}

export function dataCondition(definition: ClassDefinition | undefined): (filter: unknown) => Prisma.Sql {
  return (filter) => {
    if (!definition) throw new ForbiddenError('CLASS_UNDEFINED');
    if (!isObject(filter as JsonValue)) throw new BadInputError(problem('NOT_AN_OBJECT', { name: 'data' }));
    const condition = readRecordFilter(filter, definition.fields, {
      unknown: 'ignore',
      isOfClassOnly: true,
      called: (name) => `data[${name}]`,
    });
    return whereOf(condition, { fields: Prisma.sql`d.data`, hasSlots: false });
  };
}

export interface PresentedData {
  className: string;
  fields: Record<string, unknown>;
}

/** Null for a dialog without data, or whose class was deleted. */
export async function presentData(dialogs: readonly Dialog[]): Promise<(PresentedData | null)[]> {
  const carrier = dialogs.find(({ dataClassKey }) => dataClassKey !== null);
  if (!carrier) return dialogs.map(() => null);
  const { byKey } = await currentCatalogue(carrier.applicationId);
  return dialogs.map(({ dataClassKey, data }) => {
    const definition = byKey.get(dataClassKey ?? 0);
    return definition
      ? { className: definition.name, fields: presentFields({ class: definition, fields: data as StoredFields }) }
      : null;
  });
}

/** Dialogs per statement, so that row locks are short. */
const BATCH = 1_000;

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
  if (data == null || isObject(data as JsonValue)) return data;
  throw new BadInputError(problem('NOT_AN_OBJECT', { name: 'data' }));
}

function dataLoader(): DataLoader<Dialog, PresentedData | null, string> {
  return new DataLoader(presentData, { cacheKeyFn: (dialog) => dialog.id });
}

/** Passes the data to `make`; null for a dialog without data, or whose class was deleted. */
export function dataOf<Result>(
  dialog: Dialog,
  loaders: Loaders,
  make: (data: PresentedData) => Result,
): Result | null | Promise<Result | null> {
  if (dialog.dataClassKey === null) return null;
  return loaders
    .of(dataLoader)
    .load(dialog)
    .then((data) => data && make(data));
}
