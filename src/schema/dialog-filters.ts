import { builder, type JsonInput } from './builder.ts';
import { AND, DIRECTION, OR, SORT_FIELD } from './descriptions.ts';
import { DateTimeFilter, IdFilter, IntFilter, IntListFilter, StringFilter, UnixTimeFilter } from './filters.ts';
import { SortDirection } from './scalars.ts';

export const DialogFilter = builder.inputRef<DialogFilterShape>('DialogFilter').implement({
  description: 'All that is given must match; of `or` at least one, of `and` each.',
  fields: (t) => ({
    id: t.field({ type: IdFilter, description: 'By their ids.' }),
    type: t.field({ type: IntFilter, description: '1 public group, 2 group, 3 private.' }),
    name: t.field({
      type: StringFilter,
      description: 'By what groups are called; private dialogs have no name of their own.',
    }),
    lastMessageDateSent: t.field({ type: UnixTimeFilter, description: 'When their latest message was sent.' }),
    createdAt: t.field({ type: DateTimeFilter, description: 'When they were made.' }),
    updatedAt: t.field({ type: DateTimeFilter, description: 'When they were last changed.' }),
    occupantIds: t.field({ type: IntListFilter, description: 'By the users who take part.' }),
    data: t.field({
      type: 'JSON',
      description:
        'Fields of the class that `dataClassName` names, with the operators of records: `{ friends: { eq: true } }`. ' +
        'Plain names that it does not know are ignored.',
    }),
    or: t.field({ type: [DialogFilter], description: OR }),
    and: t.field({ type: [DialogFilter], description: AND }),
  }),
});

interface DialogFilterShape {
  id?: typeof IdFilter.$inferInput | null;
  type?: typeof IntFilter.$inferInput | null;
  name?: typeof StringFilter.$inferInput | null;
  lastMessageDateSent?: typeof UnixTimeFilter.$inferInput | null;
  createdAt?: typeof DateTimeFilter.$inferInput | null;
  updatedAt?: typeof DateTimeFilter.$inferInput | null;
  occupantIds?: typeof IntListFilter.$inferInput | null;
  data?: JsonInput;
  or?: DialogFilterShape[] | null;
  and?: DialogFilterShape[] | null;
}

const DialogSortField = builder.enumType('DialogSortField', {
  description: 'What dialogs can be sorted by.',
  values: {
    ID: { value: 'id', description: 'By id, which is the order in which they were made.' },
    TYPE: { value: 'type', description: 'Public groups, groups, private dialogs.' },
    NAME: { value: 'name', description: 'What groups are called.' },
    LAST_MESSAGE_DATE_SENT: { value: 'lastMessageDateSent', description: 'When their latest message was sent.' },
    CREATED_AT: { value: 'createdAt', description: 'When they were made.' },
    UPDATED_AT: { value: 'updatedAt', description: 'When they were last changed.' },
  } as const,
});

export const DialogOrder = builder.inputType('DialogOrder', {
  description: 'Unset values come last; ties by id.',
  fields: (t) => ({
    field: t.field({ type: DialogSortField, required: true, description: SORT_FIELD }),
    direction: t.field({ type: SortDirection, required: true, description: DIRECTION }),
  }),
});
