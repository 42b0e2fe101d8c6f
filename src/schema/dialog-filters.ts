import { builder } from './builder.ts';
import {
  conditions,
  DateTimeFilter,
  IdFilter,
  IntFilter,
  IntListFilter,
  orderInput,
  StringFilter,
  UnixTimeFilter,
} from './filters.ts';

export const DialogFilter = conditions('DialogFilter', 'dialog', {
  id: [IdFilter, 'Compares the dialog id.'],
  type: [IntFilter, 'Compares the dialog type: 1 public group, 2 group, 3 private.'],
  name: [
    StringFilter,
    'Compares the name as the caller sees it; for a private dialog, the name of the other occupant.',
  ],
  lastMessageDateSent: [
    UnixTimeFilter,
    'Compares the send time of the latest message the caller can see, in Unix seconds.',
  ],
  createdAt: [DateTimeFilter, 'Compares the creation time.'],
  updatedAt: [DateTimeFilter, 'Compares the time of the last change.'],
  occupantIds: [IntListFilter, 'Compares the user ids of the occupants. Public groups have none.'],
  data: [
    'JSON',
    'Compares fields of the class named in `dataClassName`, with the operators of record filters: `{ friends: { ' +
      'eq: true } }`. Unknown fields fail with `UNPROCESSABLE`, but are ignored when given without an operator: `{ ' +
      'friends: true }`. Fails with `FORBIDDEN` without `dataClassName`.',
  ],
});

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

export const DialogOrder = orderInput(
  'DialogOrder',
  'How to sort dialogs. Unset values come last; ties are broken by id.',
  DialogSortField,
);
