import { graphql } from '../graphql.ts';
import { bit, described, open, type Schema, text } from '../openapi/docs/schemas.ts';
import { legacyFields } from '../record-values.ts';
import { toBit } from './conversions.ts';
import { computed, optional, shape } from './shape.ts';

export const DIALOG_TYPE: Schema = {
  type: 'integer',
  enum: [1, 2, 3],
  description: '1: public group, 2: group, 3: private dialog.',
};

export const DIALOG_TYPES = { 1: 'PUBLIC_GROUP', 2: 'GROUP', 3: 'PRIVATE' } as const;

const TYPE_NUMBERS = new Map<string, number>(
  Object.entries(DIALOG_TYPES).map(([number, name]) => [name, Number(number)]),
);

export const dialogShape = shape('Dialog', {
  _id: 'id',
  user_id: 'userId',
  type: ['type', DIALOG_TYPE, (type: string) => TYPE_NUMBERS.get(type)],
  name: 'name',
  photo: 'photo',
  occupants_ids: 'occupantIds',
  admins_ids: 'adminIds',
  xmpp_room_jid: 'xmppRoomJid',
  last_message: 'lastMessage',
  last_message_id: 'lastMessageId',
  last_message_date_sent: 'lastMessageDateSent',
  last_message_user_id: 'lastMessageUserId',
  unread_messages_count: 'unreadMessagesCount',
  is_join_required: ['isJoinRequired', bit, toBit],
  data: optional(
    computed(
      graphql(`fragment Data on Dialog { dataClassName data }`),
      described(
        open({ class_name: described(text, 'Name of the class.') }),
        'Custom data: a class and the values of its fields. Absent if the dialog has none.',
      ),
      ({ dataClassName, data }) => dataClassName && { class_name: dataClassName, ...legacyFields(data) },
    ),
  ),
  created_at: 'createdAt',
  updated_at: 'updatedAt',
});

export const dialogNotificationsShape = shape(
  'DialogNotifications',
  { enabled: ['enabled', bit, toBit] },
  { wrapper: 'notifications' },
);
