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
  description: 'All that is given must match; of `or` at least one, of `and` each.',
  fields: (t) => ({
    id: t.field({ type: IdFilter, description: 'By their ids.' }),
    text: t.field({ type: StringFilter, description: 'By what they say.' }),
    dateSent: t.field({ type: UnixTimeFilter, description: 'When they were sent.' }),
    senderId: t.field({ type: IntFilter, description: 'By who sent them.' }),
    recipientId: t.field({ type: IntFilter, description: 'By the other user of a private dialog; 0 in groups.' }),
    attachmentType: t.field({ type: StringListFilter, description: 'Types of the attachments.' }),
    createdAt: t.field({ type: DateTimeFilter, description: 'When they were stored.' }),
    updatedAt: t.field({ type: DateTimeFilter, description: 'When they were last edited.' }),
    or: t.field({ type: [MessageFilter], description: OR }),
    and: t.field({ type: [MessageFilter], description: AND }),
  }),
});

const MessageSortField = builder.enumType('MessageSortField', {
  description: 'What messages can be sorted by.',
  values: {
    ID: { value: 'id', description: 'By id, which is the order in which they were stored.' },
    DATE_SENT: { value: 'dateSent', description: 'Ties in the order in which the dialog got them.' },
    CREATED_AT: { value: 'createdAt', description: 'When they were stored.' },
    UPDATED_AT: { value: 'updatedAt', description: 'When they were last edited.' },
  } as const,
});

export const MessageOrder = builder.inputType('MessageOrder', {
  description: 'Ties by id, or in the order in which the dialog got them.',
  fields: (t) => ({
    field: t.field({ type: MessageSortField, required: true, description: SORT_FIELD }),
    direction: t.field({ type: SortDirection, required: true, description: DIRECTION }),
  }),
});
