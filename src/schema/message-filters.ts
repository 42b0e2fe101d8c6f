import { builder } from './builder.ts';
import { AND, DIRECTION, OR, SORT_FIELD } from './descriptions.ts';
import { DateTimeFilter, IdFilter, IntFilter, StringFilter, StringListFilter, UnixTimeFilter } from './filters.ts';
import { SortDirection } from './scalars.ts';

interface MessageFilterShape {
  id?: typeof IdFilter.$inferInput | null;
  text?: typeof StringFilter.$inferInput | null;
  dateSent?: typeof UnixTimeFilter.$inferInput | null;
  senderId?: typeof IntFilter.$inferInput | null;
  recipientId?: typeof IntFilter.$inferInput | null;
  attachmentType?: typeof StringListFilter.$inferInput | null;
  createdAt?: typeof DateTimeFilter.$inferInput | null;
  updatedAt?: typeof DateTimeFilter.$inferInput | null;
  or?: MessageFilterShape[] | null;
  and?: MessageFilterShape[] | null;
}

export const MessageFilter = builder.inputRef<MessageFilterShape>('MessageFilter').implement({
  description:
    'Conditions on messages. A message must match all given fields, every entry of `and`, and at least one entry of ' +
    '`or`.',
  fields: (t) => ({
    id: t.field({ type: IdFilter, description: 'Compares the message id.' }),
    text: t.field({ type: StringFilter, description: 'Compares the message text.' }),
    dateSent: t.field({ type: UnixTimeFilter, description: 'Compares the send time, in Unix seconds.' }),
    senderId: t.field({ type: IntFilter, description: 'Compares the id of the user who sent the message.' }),
    recipientId: t.field({
      type: IntFilter,
      description: 'Compares the id of the other user of a private dialog; 0 in groups.',
    }),
    attachmentType: t.field({ type: StringListFilter, description: 'Compares the types of the attachments.' }),
    createdAt: t.field({ type: DateTimeFilter, description: 'Compares the time at which the message was stored.' }),
    updatedAt: t.field({ type: DateTimeFilter, description: 'Compares the time of the last edit.' }),
    or: t.field({ type: [MessageFilter], description: OR }),
    and: t.field({ type: [MessageFilter], description: AND }),
  }),
});

const MessageSortField = builder.enumType('MessageSortField', {
  description: 'Fields by which messages can be sorted.',
  values: {
    ID: { value: 'id', description: 'Id, which is the order in which messages were stored.' },
    DATE_SENT: { value: 'dateSent', description: 'Send time; ties are broken by the position in the dialog.' },
    CREATED_AT: { value: 'createdAt', description: 'Time at which the message was stored.' },
    UPDATED_AT: { value: 'updatedAt', description: 'Time of the last edit.' },
  } as const,
});

export const MessageOrder = builder.inputType('MessageOrder', {
  description: 'How to sort messages. Ties are broken by id, or with `DATE_SENT` by the position in the dialog.',
  fields: (t) => ({
    field: t.field({ type: MessageSortField, required: true, description: SORT_FIELD }),
    direction: t.field({ type: SortDirection, required: true, description: DIRECTION }),
  }),
});
