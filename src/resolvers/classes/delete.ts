import type { AdministrationContext } from '../../context.ts';
import { appendNotices } from '../../realtime/outbox.ts';
import { reloadCatalogue, renewCatalogue } from './catalogue.ts';
import { changeClasses, lockClassForChange } from './lock.ts';

type Listener = () => void;

const listeners = new Set<Listener>();

/** Registers the job that removes records of deleted classes. @returns unregisters it */
export function onClassDeleted(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Hides its records immediately; a job deletes the rows. @throws {ForbiddenError} `Undefined class` */
export async function deleteClass(name: string, { viewer, now, outbox }: AdministrationContext): Promise<true> {
  const { applicationId } = viewer;
  await changeClasses(viewer, async (transaction) => {
    const { key } = await lockClassForChange(transaction, applicationId, name);
    await transaction.recordClass.delete({ where: { applicationId_key: { applicationId, key } } });
    await transaction.deletedClass.create({ data: { applicationId, classKey: key } });
    await appendNotices(transaction, 'classDeleted', { applicationId, ids: [key] }, now());
    await renewCatalogue(transaction, applicationId);
  });
  await reloadCatalogue(applicationId);
  outbox.wake();
  for (const listener of listeners) listener();
  return true;
}
