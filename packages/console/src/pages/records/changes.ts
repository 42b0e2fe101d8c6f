import { plural } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { mutate } from '../../app/clients.ts';
import { showUndo } from '../../ui/undo.tsx';
import { type DataRecord, DELETE_RECORDS, UPDATE_RECORDS, type Values } from './documents.ts';
import { type RecordPages, recordsKey, type View } from './view.ts';

/** The maximum of one request. */
export const BATCH = 100;

export interface Change {
  record: DataRecord;
  fields: Values;
}

/** Shows new values at once, takes them back if the service refuses them, and offers to undo them. */
export function useChanges(view: View) {
  const queries = useQueryClient();
  const queryKey = recordsKey(view);
  const show = (changes: readonly Change[]) => {
    const byId = new Map(changes.map(({ record, fields }) => [record.id, fields]));
    queries.setQueryData<RecordPages>(
      queryKey,
      (old) => old && mapped(old, (node) => withValues(node, byId.get(node.id))),
    );
  };
  const update = useMutation({
    mutationFn: ({ changes }: Changes) => storeChanges(view, changes),
    onMutate: ({ changes }) => show(changes),
    onSuccess: (_data, { changes, message }) => {
      if (message !== undefined) showUndo(message, () => update.mutate({ changes: changes.map(inverse) }));
    },
    onError: (_error, { changes }) => {
      show(changes.map(inverse));
      // Earlier requests may have been stored.
      void queries.invalidateQueries({ queryKey });
    },
  });
  return (changes: readonly Change[], message: string) => update.mutate({ changes, message });
}

interface Changes {
  changes: readonly Change[];
  /** Undefined: it cannot be undone. */
  message?: string;
}

async function storeChanges({ application, className, onBehalfOf }: View, changes: readonly Change[]): Promise<void> {
  let refused = 0;
  for (let start = 0; start < changes.length; start += BATCH) {
    const batch = changes.slice(start, start + BATCH);
    const records = batch.map(({ record: { id }, fields }) => ({ id, changes: { fields } }));
    const { updateRecords } = await mutate({ application, onBehalfOf }, UPDATE_RECORDS, { className, records });
    refused += updateRecords.notFoundIds.length;
  }
  if (refused === 0) return;
  throw new Error(
    plural(refused, {
      one: '# record was not changed: it no longer exists, or may not be changed.',
      other: '# records were not changed: they no longer exist, or may not be changed.',
    }),
  );
}

export async function deleteRecords(
  { application, className, onBehalfOf }: View,
  ids: readonly string[],
): Promise<void> {
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH);
    await mutate({ application, onBehalfOf }, DELETE_RECORDS, { className, ids: batch });
  }
}

function inverse({ record, fields }: Change): Change {
  const before = Object.keys(fields).map((name) => [name, record.fields?.[name] ?? null]);
  return { record: withValues(record, fields), fields: Object.fromEntries(before) };
}

function withValues(record: DataRecord, fields: Values | undefined): DataRecord {
  return fields ? { ...record, fields: { ...record.fields, ...fields } } : record;
}

function mapped(old: RecordPages, change: (node: DataRecord) => DataRecord): RecordPages {
  return {
    ...old,
    pages: old.pages.map((page) => ({
      ...page,
      edges: page.edges.map((edge) => ({ ...edge, node: change(edge.node) })),
    })),
  };
}
