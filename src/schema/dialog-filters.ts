import { builder, type JsonInput } from './builder.ts';
import { AND, DIRECTION, OR, SORT_FIELD } from './descriptions.ts';
import { DateTimeFilter, IdFilter, IntFilter, IntListFilter, StringFilter, UnixTimeFilter } from './filters.ts';
import { SortDirection } from './scalars.ts';

export const DialogFilter = builder.inputRef<DialogFilterShape>('DialogFilter').implement({
  description:
    'Conditions on dialogs. A dialog must match all given fields, every entry of `and`, and at least one entry of ' +
    '`or`.',
  fields: (t) => ({
    id: t.field({ type: IdFilter, description: 'Compares the dialog id.' }),
    type: t.field({ type: IntFilter, description: 'Compares the dialog type: 1 public group, 2 group, 3 private.' }),
    name: t.field({
      type: StringFilter,
      description: 'Compares the name as the caller sees it; for a private dialog, the name of the other occupant.',
    }),
    lastMessageDateSent: t.field({
      type: UnixTimeFilter,
      description: 'Compares the send time of the latest message the caller can see, in Unix seconds.',
    }),
    createdAt: t.field({ type: DateTimeFilter, description: 'Compares the creation time.' }),
    updatedAt: t.field({ type: DateTimeFilter, description: 'Compares the time of the last change.' }),
    occupantIds: t.field({
      type: IntListFilter,
      description: 'Compares the user ids of the occupants. Public groups have none.',
    }),
    data: t.field({
      type: 'JSON',
      description:
        'Compares fields of the class named in `dataClassName`, with the operators of record filters: `{ friends: { ' +
        'eq: true } }`. Unknown fields fail with `UNPROCESSABLE`, but are ignored when given without an operator: `{ ' +
        'friends: true }`. Fails with `FORBIDDEN` without `dataClassName`.',
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
  description: 'Fields by which dialogs can be sorted.',
  values: {
    ID: { value: 'id', description: 'Id, which is the order of creation.' },
    TYPE: { value: 'type', description: 'Type: public groups, then groups, then private dialogs.' },
    NAME: { value: 'name', description: 'Name as the caller sees it.' },
    LAST_MESSAGE_DATE_SENT: {
      value: 'lastMessageDateSent',
      description: 'Send time of the latest message the caller can see.',
    },
    CREATED_AT: { value: 'createdAt', description: 'Time of creation.' },
    UPDATED_AT: { value: 'updatedAt', description: 'Time of the last change.' },
  } as const,
});

export const DialogOrder = builder.inputType('DialogOrder', {
  description: 'How to sort dialogs. Unset values come last; ties are broken by id.',
  fields: (t) => ({
    field: t.field({ type: DialogSortField, required: true, description: SORT_FIELD }),
    direction: t.field({ type: SortDirection, required: true, description: DIRECTION }),
  }),
});
