import { ForbiddenError, NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { MAX_NAME, tooManyOccupants } from '../../../resolvers/dialogs/rules.ts';
import type { FilterNames } from '../../http/lists.ts';
import { DIALOG_TYPE, dialogNotificationsShape, dialogShape } from '../../shapes/dialog.ts';
import { deleted } from './deletions.ts';
import { undefinedClass } from './errors.ts';
import { argumentsOf, inputOf } from './from-graphql.ts';
import { count, listParameters } from './lists.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { anything, closed, integer, integerId, listOf, requestObject, text, together } from './schemas.ts';

const data = {
  ...requestObject({ class_name: text }),
  additionalProperties: anything,
  description: 'Fields of the class that it names.',
};
const CLASSED = 'Only dialogs that carry the class of `class_name`; further members filter by its fields.';
const name = { ...text, maxLength: MAX_NAME };
const users = listOf(integerId);
const path = { id: text };
const notFound = [new ForbiddenError(), new NotFoundError()];
const force = (operation: string) => argumentsOf(operation, { force: 'force' });

export const dialogDocs = {
  createDialog: {
    tag: 'Dialogs',
    summary: 'Create a dialog',
    body: inputOf(
      'CreateDialogInput',
      {
        type: ['type', DIALOG_TYPE],
        occupants_ids: ['occupantIds', users],
        name: ['name', name],
        photo: 'photo',
        is_join_required: 'isJoinRequired',
        data: ['data', data],
      },
      ['type'],
    ),
    status: 201,
    answer: dialogShape.schema,
    errors: [
      new UnprocessableError('type is required', "Name can't be blank"),
      new UnprocessableError('Occupants with these IDs do not exist.'),
      new UnprocessableError('A private dialog has exactly one other occupant'),
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
    query: together(listParameters(filters, sorts), requestObject({ data: { ...data, description: CLASSED } })),
    answer: {
      anyOf: [
        closed({ total_entries: integer, skip: integer, limit: integer, items: listOf(dialogShape.schema) }),
        count,
      ],
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
    answer: dialogShape.schema,
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog } }],
  },
  updateDialog: {
    tag: 'Dialogs',
    summary: 'Change a dialog',
    path,
    body: inputOf('UpdateDialogInput', {
      name: ['name', name],
      photo: 'photo',
      is_join_required: 'isJoinRequired',
      data: ['data', data],
      push_all: inputOf('UpdateDialogInput', {
        occupants_ids: ['addOccupantIds', users],
        admins_ids: ['addAdminIds', users],
      }),
      pull_all: inputOf('UpdateDialogInput', {
        occupants_ids: ['removeOccupantIds', users],
        admins_ids: ['removeAdminIds', users],
      }),
    }),
    answer: dialogShape.schema,
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
    answer: dialogNotificationsShape.schema,
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog } }],
  },
  updateDialogNotifications: {
    tag: 'Dialogs',
    summary: 'Switch the pushes of a dialog on or off',
    path,
    body: argumentsOf('Mutation.updateDialogNotifications', { enabled: 'enabled' }),
    answer: dialogNotificationsShape.schema,
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog }, body: { enabled: 0 } }],
  },
} satisfies Record<string, OperationDocs | ((filters: FilterNames, sorts: Record<string, string>) => OperationDocs)>;
