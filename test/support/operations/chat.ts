import fc from 'fast-check';
import { field, operation, spread } from './operation.ts';
import { any, flag, listOf, mostly, perhaps, ref, text, usersIn, wellFormed } from './values.ts';

const user = ref('user');
const dialog = ref('dialog');
const message = ref('message');

const TYPES = { PUBLIC_GROUP: 1, GROUP: 2, PRIVATE: 3 };
const kind = fc.constantFrom(...(Object.keys(TYPES) as (keyof typeof TYPES)[]));
const reaction = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('like', 'love') }, text);
const attachments = fc.constantFrom<object[]>(
  [{ type: 'image', id: '5', size: 7 }],
  [{ type: 'link', url: 'https://example.org' }],
  [{ type: 'image' }],
  [],
);
const skip = perhaps(fc.nat(2));
const limit = perhaps(fc.integer({ min: 1, max: 4 }));
const count = field(fc.constantFrom(false, false, true), (isCount) => (isCount ? { count: 1 } : {}));

const orderBy = (legacy: string, field_: string) =>
  field(
    fc.constantFrom('asc', 'desc'),
    (direction) => ({ [`sort_${direction}`]: legacy }),
    (direction) => ({ orderBy: { field: field_, direction: direction.toUpperCase() } }),
  );

/** Changes of the lists of a dialog are members of `push_all` and `pull_all`. */
const listed = (operator: string, list: string) => field(perhaps(usersIn), (ids) => ({ [operator]: { [list]: ids } }));

const ofMessage = field(any('message'), 'id');

const changedReaction = (method: string, refused: object) =>
  operation(`${method} /chat/Message/:id/reactions`, { messageId: ofMessage, name: mostly(reaction) })
    .served('bob', { messageId: message(0), name: 'like' })
    .refused('bob', { name: 'like', ...refused });

export const chat = [
  operation('post /chat/Dialog', {
    type: field(mostly(kind), (one) => ({ type: TYPES[one] })),
    occupantIds: field(usersIn, 'occupants_ids'),
    name: mostly(text),
    photo: perhaps(text),
    isJoinRequired: perhaps(flag),
  })
    .with({ learn: { dialog: ({ _id }) => _id } })
    .served('bob', { type: 'GROUP', occupantIds: [user(2)], name: 'Plans' })
    .refused('bob', { type: 'GROUP', occupantIds: [user(2)] }),
  operation('get /chat/Dialog', {
    skip,
    first: field(limit, 'limit'),
    type: field(perhaps(fc.constantFrom(1, 2, 3)), undefined, (eq) => ({ filter: { type: { eq } } })),
    direction: orderBy('name', 'NAME'),
    count,
  })
    .with({ defaults: { filter: {}, first: 100, skip: 0 } })
    .served('alice', { direction: 'asc', count: false })
    .refused('application session', { direction: 'asc', count: false }),
  operation('get /chat/Dialog/:id')
    .served('bob', { id: dialog(0) })
    .refused('dave', { id: dialog(0) }),
  operation('put /chat/Dialog/:id', {
    name: perhaps(text),
    photo: perhaps(fc.constantFrom('7', null)),
    addOccupantIds: listed('push_all', 'occupants_ids'),
    removeOccupantIds: listed('pull_all', 'occupants_ids'),
    addAdminIds: listed('push_all', 'admins_ids'),
    removeAdminIds: listed('pull_all', 'admins_ids'),
  })
    .served('alice', { id: dialog(0), addOccupantIds: [user(3)], addAdminIds: [user(1)] })
    .refused('bob', { id: dialog(2), name: 'Ours' }),
  operation('put /chat/Dialog/:id/notifications', { dialogId: field(any('dialog'), 'id'), enabled: mostly(flag) })
    .served('bob', { dialogId: dialog(0), enabled: false })
    .refused('carol', { dialogId: dialog(2), enabled: false }),
  operation('get /chat/Dialog/:id/notifications', { dialogId: field(any('dialog'), 'id') })
    .served('bob', { dialogId: dialog(0) })
    .refused('carol', { dialogId: dialog(2) }),
  operation('post /chat/Message', {
    dialogId: field(mostly(any('dialog')), 'chat_dialog_id'),
    recipientId: perhaps(wellFormed('user')),
    text: field(mostly(text), 'message'),
    clientId: field(perhaps(fc.nat(2).map(String)), 'Idempotency-Key'),
    customFields: field(perhaps(fc.record({ urgent: flag })), spread),
    attachments: perhaps(attachments),
  })
    .with({
      defaults: { customFields: {}, sendToChat: false },
      learn: { message: ({ _id }) => _id, dialog: ({ chat_dialog_id }) => chat_dialog_id },
    })
    .served('carol', { dialogId: dialog(0), text: 'hello', clientId: '1', customFields: { urgent: true } })
    .served('bob', { recipientId: user(2), text: 'hello', attachments: [{ type: 'image', id: '5', size: 7 }] })
    .refused('carol', { dialogId: dialog(0) }),
  operation('get /chat/Message/unread', { dialogIds: field(perhaps(listOf('dialog', 2, 3)), 'chat_dialog_ids') })
    .served('bob', { dialogIds: [dialog(0), dialog(2)] })
    .refused('bob', { dialogIds: [dialog('unknown'), dialog('foreign')] }),
  operation('get /chat/Message', {
    dialogId: field(any('dialog'), 'chat_dialog_id'),
    skip,
    limit,
    markAsRead: perhaps(flag),
    direction: orderBy('date_sent', 'DATE_SENT'),
    since: fc.constantFrom(undefined, undefined, 'none'),
  })
    .with({ defaults: { filter: {}, skip: 0, limit: 100, markAsRead: true, count: false } })
    .served('bob', { dialogId: dialog(0), direction: 'desc' })
    .refused('carol', { dialogId: dialog(2), direction: 'desc' }),
  operation('put /chat/Message', {
    dialogId: field(any('dialog'), 'chat_dialog_id'),
    read: perhaps(flag),
    delivered: perhaps(flag),
  })
    .served('alice', { dialogId: dialog(0), read: true })
    .refused('alice', { dialogId: dialog('unknown'), read: true }),
  operation('get /chat/Message/:id')
    .served('carol', { id: message(0) })
    .refused('carol', { id: message(1) }),
  operation('put /chat/Message/:ids', {
    dialogId: field(perhaps(any('dialog')), 'chat_dialog_id'),
    text: field(perhaps(text), 'message'),
    read: perhaps(flag),
    delivered: perhaps(flag),
  })
    .served('alice', { ids: [message(0)], text: 'two words' })
    .refused('bob', { ids: [message(0)], text: 'two words' }),
  changedReaction('post', { messageId: message('malformed') }),
  operation('put /chat/Message/:id/reactions', {
    messageId: ofMessage,
    add: mostly(reaction),
    remove: perhaps(reaction),
  })
    .served('carol', { messageId: message(0), add: 'love' })
    .refused('carol', { messageId: message(0) }),
  operation('get /chat/Message/:id/reactions', { messageId: ofMessage })
    .served('carol', { messageId: message(0) })
    .refused('carol', { messageId: message(1) }),
  changedReaction('delete', { messageId: message(0) }),
];
