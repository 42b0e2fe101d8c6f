import fc from 'fast-check';
import {
  bit,
  command,
  flag,
  given,
  mostly,
  page,
  perhaps,
  pick,
  pickNumber,
  remember,
  several,
  text,
} from './command.ts';

const TYPES = { 1: 'PUBLIC_GROUP', 2: 'GROUP', 3: 'PRIVATE' } as const;
const users = fc.array(pickNumber, { minLength: 1, maxLength: 2 });
const attachments = fc.constantFrom<object[]>(
  [{ type: 'image', id: '5', size: 7 }],
  [{ type: 'link', url: 'https://example.org' }],
  [{ type: 'image' }],
  [],
);
const reaction = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('like', 'love') }, text);
const direction = fc.constantFrom('asc', 'desc');

export const chatCommands = [
  command(
    'post /chat/Dialog',
    {
      type: mostly(fc.constantFrom(1, 2, 3)),
      others: users,
      name: mostly(text),
      photo: perhaps(text),
      closed: perhaps(flag),
    },
    (fixture, { type, others, name, photo, closed }) => {
      const ids = others.map((other) => fixture.pick('user', other) as number);
      return {
        json: { type, occupants_ids: ids, name, photo, is_join_required: bit(closed) },
        variables: {
          input: { type: type && TYPES[type as 1], occupantIds: ids, name, photo, isJoinRequired: closed },
        },
      };
    },
    { learn: (fixture, body) => remember(fixture, 'dialog', body._id) },
  ),
  command(
    'get /chat/Dialog',
    { ...page, type: perhaps(fc.constantFrom(1, 2, 3)), direction, count: fc.constantFrom(false, false, true) },
    (_world, { skip, limit, type, direction, count }) => ({
      query: given({ skip, limit, type, [`sort_${direction}`]: 'name', count: bit(count || undefined) }),
      variables: {
        filter: type ? { type: { eq: type } } : {},
        orderBy: { field: 'NAME', direction: direction.toUpperCase() },
        first: limit ?? 100,
        skip: skip ?? 0,
        count,
      },
    }),
  ),
  command('get /chat/Dialog/:id', { dialog: pick }, (fixture, { dialog }) => {
    const id = fixture.pick('dialog', dialog);
    return { path: { id }, variables: { id } };
  }),
  command(
    'put /chat/Dialog/:id',
    {
      dialog: pick,
      name: perhaps(text),
      photo: perhaps(fc.constantFrom('7', null)),
      add: perhaps(users),
      remove: perhaps(users),
      admins: perhaps(users),
      noAdmins: perhaps(users),
    },
    (fixture, { dialog, name, photo, add, remove, admins, noAdmins }) => {
      const id = fixture.pick('dialog', dialog);
      const ids = (picks: typeof add) => picks?.map((one) => fixture.pick('user', one));
      return {
        path: { id },
        json: {
          name,
          photo,
          push_all: given({ occupants_ids: ids(add), admins_ids: ids(admins) }),
          pull_all: given({ occupants_ids: ids(remove), admins_ids: ids(noAdmins) }),
        },
        variables: {
          id,
          input: {
            name,
            photo,
            addOccupantIds: ids(add),
            removeOccupantIds: ids(remove),
            addAdminIds: ids(admins),
            removeAdminIds: ids(noAdmins),
          },
        },
      };
    },
  ),
  command('delete /chat/Dialog/:id', { dialog: pick, force: flag }, (fixture, { dialog, force }) => {
    const id = fixture.pick('dialog', dialog);
    return { path: { id }, json: { force: bit(force) }, variables: { id, force } };
  }),
  command('delete /chat/Dialog/:ids', { dialogs: several, force: flag }, (fixture, { dialogs, force }) => {
    const ids = dialogs.map((dialog) => fixture.pick('dialog', dialog));
    return { path: { ids: ids.join(',') }, query: { force: Number(force) }, variables: { ids, force } };
  }),
  command('get /chat/Dialog/:id/notifications', { dialog: pick }, (fixture, { dialog }) => {
    const id = fixture.pick('dialog', dialog);
    return { path: { id }, variables: { dialogId: id } };
  }),
  command(
    'put /chat/Dialog/:id/notifications',
    { dialog: pick, enabled: mostly(flag) },
    (fixture, { dialog, enabled }) => {
      const id = fixture.pick('dialog', dialog);
      return { path: { id }, json: { enabled: bit(enabled) }, variables: { dialogId: id, enabled } };
    },
  ),
  command(
    'post /chat/Message',
    {
      dialog: mostly(pick),
      to: perhaps(pickNumber),
      text: mostly(text),
      clientId: perhaps(fc.nat(2)),
      urgent: perhaps(flag),
      attachments: perhaps(attachments),
    },
    (fixture, { dialog, to, text, clientId, urgent, attachments }) => {
      const dialogId = dialog && fixture.pick('dialog', dialog);
      const recipientId = to && fixture.pick('user', to);
      return {
        json: { chat_dialog_id: dialogId, recipient_id: recipientId, message: text, urgent, attachments },
        headers: given({ 'Idempotency-Key': clientId?.toString() }),
        variables: {
          input: {
            dialogId,
            recipientId,
            text,
            attachments,
            customFields: given({ urgent }),
            sendToChat: false,
            clientId: clientId?.toString(),
          },
        },
      };
    },
    {
      learn: (fixture, body) => {
        remember(fixture, 'message', body._id);
        remember(fixture, 'dialog', body.chat_dialog_id);
      },
    },
  ),
  command(
    'get /chat/Message',
    { dialog: pick, ...page, marks: perhaps(flag), direction, since: fc.constantFrom(undefined, undefined, 'none') },
    (fixture, { dialog, skip, limit, marks, direction, since }) => {
      const id = fixture.pick('dialog', dialog);
      return {
        query: given({
          chat_dialog_id: id,
          skip,
          limit,
          mark_as_read: bit(marks),
          since,
          [`sort_${direction}`]: 'date_sent',
        }),
        variables: {
          dialogId: id,
          filter: {},
          orderBy: { field: 'DATE_SENT', direction: direction.toUpperCase() },
          skip: skip ?? 0,
          limit: limit ?? 100,
          markAsRead: marks !== false,
          since,
          count: false,
        },
      };
    },
  ),
  command(
    'put /chat/Message',
    { dialog: pick, read: perhaps(flag), delivered: perhaps(flag) },
    (fixture, { dialog, read, delivered }) => {
      const dialogId = fixture.pick('dialog', dialog);
      return {
        json: { chat_dialog_id: dialogId, read: bit(read), delivered: bit(delivered) },
        variables: { dialogId, read, delivered },
      };
    },
  ),
  command('get /chat/Message/unread', { dialogs: perhaps(several) }, (fixture, { dialogs }) => {
    const ids = dialogs?.map((dialog) => fixture.pick('dialog', dialog));
    return { query: given({ chat_dialog_ids: ids?.join(',') }), variables: { dialogIds: ids } };
  }),
  command('get /chat/Message/:id', { message: pick }, (fixture, { message }) => {
    const id = fixture.pick('message', message);
    return { path: { id }, variables: { id } };
  }),
  command(
    'put /chat/Message/:ids',
    {
      messages: fc.array(pick, { minLength: 1, maxLength: 2 }),
      within: perhaps(pick),
      text: perhaps(text),
      read: perhaps(flag),
      delivered: perhaps(flag),
    },
    (fixture, { messages, within, text, read, delivered }) => {
      const ids = messages.map((message) => fixture.pick('message', message));
      const dialogId = within && fixture.pick('dialog', within);
      return {
        path: { ids: ids.join(',') },
        json: { chat_dialog_id: dialogId, message: text, read: bit(read), delivered: bit(delivered) },
        variables: { ids, input: { dialogId, text, read, delivered } },
      };
    },
  ),
  command(
    'delete /chat/Message/:ids',
    { messages: fc.array(pick, { minLength: 1, maxLength: 2 }), force: flag },
    (fixture, { messages, force }) => {
      const ids = messages.map((message) => fixture.pick('message', message));
      return { path: { ids: ids.join(',') }, json: { force: bit(force) }, variables: { ids, force, ownOnly: false } };
    },
  ),
  ...(['post', 'delete'] as const).map((method) =>
    command(
      `${method} /chat/Message/:id/reactions`,
      { message: pick, name: mostly(reaction) },
      (fixture, { message, name }) => {
        const id = fixture.pick('message', message);
        return { path: { id }, json: { name }, variables: { messageId: id, name } };
      },
    ),
  ),
  command(
    'put /chat/Message/:id/reactions',
    { message: pick, add: mostly(reaction), remove: perhaps(reaction) },
    (fixture, { message, add, remove }) => {
      const id = fixture.pick('message', message);
      return { path: { id }, json: { add, remove }, variables: { messageId: id, add, remove } };
    },
  ),
  command('get /chat/Message/:id/reactions', { message: pick }, (fixture, { message }) => {
    const id = fixture.pick('message', message);
    return { path: { id }, variables: { messageId: id } };
  }),
];
