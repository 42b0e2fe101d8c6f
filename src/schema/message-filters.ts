import { builder } from './builder.ts';
import {
  conditions,
  DateTimeFilter,
  IdFilter,
  IntFilter,
  orderInput,
  StringFilter,
  StringListFilter,
  UnixTimeFilter,
} from './filters.ts';

export const MessageFilter = conditions('MessageFilter', 'message', {
  id: [IdFilter, 'Compares the message id.'],
  text: [StringFilter, 'Compares the message text.'],
  dateSent: [UnixTimeFilter, 'Compares the send time, in Unix seconds.'],
  senderId: [IntFilter, 'Compares the id of the user who sent the message.'],
  recipientId: [IntFilter, 'Compares the id of the other user of a private dialog; 0 in groups.'],
  attachmentType: [StringListFilter, 'Compares the types of the attachments.'],
  createdAt: [DateTimeFilter, 'Compares the time at which the message was stored.'],
  updatedAt: [DateTimeFilter, 'Compares the time of the last edit.'],
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

export const MessageOrder = orderInput(
  'MessageOrder',
  'How to sort messages. Ties are broken by id, or with `DATE_SENT` by the position in the dialog.',
  MessageSortField,
);
