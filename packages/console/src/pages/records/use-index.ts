import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { mutate } from '../../app/clients.ts';
import { type RecordClass, UPDATE_CLASS } from './documents.ts';
import { classesKey } from './use-class.ts';

interface IndexChange {
  definition: RecordClass;
  fields: readonly string[];
  isIndexed: boolean;
}

/** Creates the index of fields, or removes that of one field. */
export function useIndex(application: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ definition, ...change }: IndexChange) =>
      mutate({ application }, UPDATE_CLASS, { name: definition.name, input: inputOf(definition, change) }),
    onSuccess: (_answer, { isIndexed }) => {
      const message = isIndexed ? t`The index is being built. Lists use it when it is complete.` : t`Class saved`;
      notifications.show({ message });
      return queries.invalidateQueries({ queryKey: classesKey(application) });
    },
  });
}

function inputOf(definition: RecordClass, { fields: names, isIndexed }: Omit<IndexChange, 'definition'>) {
  if (names.length > 1) {
    const indexes = definition.indexes.map(({ fields, unique }) => ({ fields, unique }));
    return { indexes: [...indexes, { fields: [...names] }] };
  }
  const fields = definition.fields.map(({ index, ...field }) => ({
    ...field,
    index: field.name === names[0] ? isIndexed : index === 'READY' || index === 'BUILDING',
  }));
  return { fields };
}
