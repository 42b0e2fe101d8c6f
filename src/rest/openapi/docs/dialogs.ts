import { ForbiddenError, NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { MAX_NAME, tooManyOccupants } from '../../../resolvers/dialogs/rules.ts';
import type { FilterNames } from '../../http/lists.ts';
import { deleted } from './deletions.ts';
import { undefinedClass } from './errors.ts';
import { argumentsOf, asked, shown } from './from-graphql.ts';
import { count, listParameters } from './lists.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import {
  anything,
  bit,
  closed,
  described,
  integer,
  integerId,
  listOf,
  named,
  asked as objectAsked,
  open,
  text,
  together,
} from './schemas.ts';

const TYPES = { type: 'integer', enum: [1, 2, 3], description: '1 public group, 2 group, 3 private.' };

const dialog = named(
  'Dialog',
  shown(
    'Dialog',
    {
      _id: 'id',
      user_id: 'userId',
      type: TYPES,
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
      is_join_required: bit,
      data: described(open({ class_name: text }), 'Fields of that class; only where the dialog carries one.'),
      created_at: 'createdAt',
      updated_at: 'updatedAt',
    },
    ['data'],
  ),
);

const data = {
  ...objectAsked({ class_name: text }),
  additionalProperties: anything,
  description: 'Fields of the class that it names.',
};
const CLASSED = 'Only dialogs that carry the class of `class_name`; further members filter by its fields.';
const name = { ...text, maxLength: MAX_NAME };
const users = listOf(integerId);
const path = { id: text };
const notFound = [new ForbiddenError(), new NotFoundError()];
const notifications = closed({ notifications: closed({ enabled: bit }) });
const force = (operation: string) => argumentsOf(operation, { force: 'force' });

export const dialogDocs = {
  createDialog: {
    tag: 'Dialogs',
    summary: 'Create a dialog',
    body: asked(
      'CreateDialogInput',
      {
        type: ['type', TYPES],
        occupants_ids: ['occupantIds', users],
        name: ['name', name],
        photo: 'photo',
        is_join_required: 'isJoinRequired',
        data: ['data', data],
      },
      ['type'],
    ),
    status: 201,
    answer: dialog,
    errors: [
      new UnprocessableError('Type should be 1, 2 or 3', "Name can't be blank"),
      new UnprocessableError('Occupants with these IDs do not exist.'),
      new UnprocessableError('Incorrect occupant_id'),
      new UnprocessableError(tooManyOccupants),
      undefinedClass,
    ],
    examples: [
      { summary: 'A group', body: { type: 2, name: 'Lunch', occupants_ids: [SAMPLES.friend] } },
      { summary: 'A private dialog', body: { type: 3, occupants_ids: [SAMPLES.friend] } },
    ],
  },
  listDialogs: (filters: FilterNames, sorts: Record<string, string>): OperationDocs => ({
    tag: 'Dialogs',
    summary: 'Dialogs of the caller',
    query: together(listParameters(filters, sorts), objectAsked({ data: { ...data, description: CLASSED } })),
    answer: {
      anyOf: [closed({ total_entries: integer, skip: integer, limit: integer, items: listOf(dialog) }), count],
    },
    errors: [
      new UnprocessableError('Incorrect filter: type[like]'),
      new UnprocessableError('Incorrect sort field: photo'),
      undefinedClass,
    ],
    examples: [
      { summary: 'Groups by name', query: { type: { in: '1,2' }, sort_asc: 'name', limit: 10 } },
      { summary: 'How many', query: { count: 1 } },
    ],
  }),
  findDialog: {
    tag: 'Dialogs',
    summary: 'A dialog',
    path,
    answer: dialog,
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog } }],
  },
  updateDialog: {
    tag: 'Dialogs',
    summary: 'Change a dialog',
    path,
    body: asked('UpdateDialogInput', {
      name: ['name', name],
      photo: 'photo',
      is_join_required: 'isJoinRequired',
      data: ['data', data],
      push_all: asked('UpdateDialogInput', {
        occupants_ids: ['addOccupantIds', users],
        admins_ids: ['addAdminIds', users],
      }),
      pull_all: asked('UpdateDialogInput', {
        occupants_ids: ['removeOccupantIds', users],
        admins_ids: ['removeAdminIds', users],
      }),
    }),
    answer: dialog,
    errors: [
      ...notFound,
      undefinedClass,
      new UnprocessableError(`Name is too long (maximum is ${MAX_NAME} characters)`),
      new UnprocessableError('Occupants with these IDs do not exist.'),
    ],
    examples: [
      { path: { id: SAMPLES.dialog }, body: { name: 'Late lunch', push_all: { occupants_ids: [SAMPLES.friend] } } },
    ],
  },
  deleteDialogs: {
    tag: 'Dialogs',
    summary: 'Leave or delete several dialogs',
    path: { ids: text },
    body: force('Mutation.deleteDialogs'),
    answer: deleted,
    errors: [new NotFoundError(), new UnprocessableError('A request may name at most 100 ids')],
    examples: [{ path: { ids: `${SAMPLES.dialog},${SAMPLES.otherDialog}` }, body: { force: 1 } }],
  },
  deleteDialog: {
    tag: 'Dialogs',
    summary: 'Leave or delete a dialog',
    path,
    body: force('Mutation.deleteDialog'),
    answer: 'nothing',
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog }, body: { force: 1 } }],
  },
  findDialogNotifications: {
    tag: 'Dialogs',
    summary: 'Whether a dialog pushes to the caller',
    path,
    answer: notifications,
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog } }],
  },
  updateDialogNotifications: {
    tag: 'Dialogs',
    summary: 'Switch the pushes of a dialog on or off',
    path,
    body: argumentsOf('Mutation.updateDialogNotifications', { enabled: 'enabled' }),
    answer: notifications,
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog }, body: { enabled: 0 } }],
  },
} satisfies Record<string, OperationDocs | ((filters: FilterNames, sorts: Record<string, string>) => OperationDocs)>;
