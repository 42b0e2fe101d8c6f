import { ForbiddenError, NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { MAX_NAME, MAX_OCCUPANTS, tooManyOccupants } from '../../../resolvers/dialogs/rules.ts';
import type { FilterNames } from '../../http/lists.ts';
import { DIALOG_TYPE, dialogNotificationsShape, dialogShape } from '../../shapes/dialog.ts';
import { deleted } from './deletions.ts';
import { undefinedClass } from './errors.ts';
import { argumentsOf, inputOf } from './from-graphql.ts';
import { count, listParameters, windowMembers } from './lists.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import {
  anything,
  closed,
  described,
  flag,
  integer,
  integerId,
  listOf,
  requestObject,
  text,
  together,
} from './schemas.ts';

const data = {
  ...requestObject({ class_name: described(text, 'Name of the class.') }),
  additionalProperties: anything,
  description: 'Custom data: the name of a class, and values for its fields. Unknown fields are ignored.',
};
const CLASSED =
  'Filters by custom data: `data[class_name]` by the class, and `data[<field>]` by a field of that class.';
const name = described(
  { ...text, maxLength: MAX_NAME },
  `Name of the dialog, up to ${MAX_NAME} characters. Required for groups and public groups.`,
);
const photo = described(text, 'Address or file id of a picture. Addresses that run scripts are refused.');
const isJoinRequired = described(flag, 'Stored for clients; has no effect on the server. Default 0.');
const users = (description: string) => described(listOf(integerId), description);
const path = { id: described(text, 'Id of the dialog, 24 hex digits.') };
const notFound = [new ForbiddenError(), new NotFoundError()];
const force = (operation: string) =>
  argumentsOf(operation, {
    force: ['force', described(flag, '1 deletes for all users; requires the owner or an API key alone. Default 0.')],
  });

export const dialogDocs = {
  createDialog: {
    tag: 'Dialogs',
    summary: 'Create a dialog',
    description:
      'Creates a dialog owned by the caller, who becomes an occupant. If the private dialog (type 3) already ' +
      'exists, it is returned unchanged, also with 201, and is visible to the caller again if it was hidden.',
    body: inputOf(
      'CreateDialogInput',
      {
        type: ['type', DIALOG_TYPE],
        occupants_ids: [
          'occupantIds',
          users(
            `Ids of the occupants besides the caller. Groups: 1 to ${MAX_OCCUPANTS - 1}, unknown ids are ignored. Private ` +
              'dialogs: exactly one.',
          ),
        ],
        name: ['name', name],
        photo: ['photo', photo],
        is_join_required: ['isJoinRequired', isJoinRequired],
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
      new UnprocessableError('Photo is invalid'),
      new UnprocessableError(tooManyOccupants),
      undefinedClass,
    ],
    examples: [
      { summary: 'Group', body: { type: 2, name: 'Lunch', occupants_ids: [SAMPLES.friend] } },
      { summary: 'Private dialog', body: { type: 3, occupants_ids: [SAMPLES.friend] } },
    ],
  },
  listDialogs: (filters: FilterNames, sorts: Record<string, string>): OperationDocs => ({
    tag: 'Dialogs',
    summary: 'List dialogs',
    description:
      'Returns the groups and private dialogs of the caller that are not hidden, and all public groups. An API ' +
      'key alone receives all dialogs of the application. By default, dialogs with the latest activity come ' +
      'first. With `count=1`, only their number is returned.',
    query: together(listParameters(filters, sorts), requestObject({ data: { ...data, description: CLASSED } })),
    answer: {
      anyOf: [
        closed({
          total_entries: described(integer, 'Number of dialogs that match.'),
          ...windowMembers,
          items: described(listOf(dialogShape.schema), 'The dialogs.'),
        }),
        count,
      ],
    },
    errors: [
      new UnprocessableError('Incorrect filter: type[like]'),
      new UnprocessableError('Incorrect sort field: photo'),
      undefinedClass,
    ],
    examples: [
      { summary: 'Groups, sorted by name', query: { type: { in: '1,2' }, sort_asc: 'name', limit: 10 } },
      { summary: 'Only the number', query: { count: 1 } },
    ],
  }),
  findDialog: {
    tag: 'Dialogs',
    summary: 'Get a dialog',
    description:
      'Returns a dialog that the caller can see. An unknown id is a 404. If the caller is not an occupant, the ' +
      'response is 403; public groups are open to every user.',
    path,
    answer: dialogShape.schema,
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog } }],
  },
  updateDialog: {
    tag: 'Dialogs',
    summary: 'Update a dialog',
    description:
      'Changes the given fields of a dialog. If the caller may not make one of the changes, the response is 403 ' +
      'and nothing changes. Name, photo, data and the join flag can be changed by any occupant of a group and ' +
      'by the owner of a public group; `data` also by both users of a private dialog. Any occupant of a group ' +
      'can add occupants and remove themselves. The owner and admins of a group can remove others, and only the ' +
      'owner can change admins. An API key alone has the rights of the owner. Without any change, the response ' +
      'is 200.',
    path,
    body: inputOf('UpdateDialogInput', {
      name: ['name', described(name, `New name, up to ${MAX_NAME} characters.`)],
      photo: ['photo', described(photo, 'New address or file id of a picture; null removes it.')],
      is_join_required: ['isJoinRequired', described(flag, 'Stored for clients; has no effect on the server.')],
      data: ['data', described(data, 'Custom data to change. Omitted fields keep their values, null unsets a field.')],
      push_all: described(
        inputOf('UpdateDialogInput', {
          occupants_ids: ['addOccupantIds', users('Ids of users to add as occupants. Unknown ids are ignored.')],
          admins_ids: ['addAdminIds', users('Ids of users to make admins; in groups, only occupants count.')],
        }),
        'Users to add.',
      ),
      pull_all: described(
        inputOf('UpdateDialogInput', {
          occupants_ids: ['removeOccupantIds', users('Ids of occupants to remove.')],
          admins_ids: ['removeAdminIds', users('Ids of admins who become plain occupants.')],
        }),
        'Users to remove.',
      ),
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
    description:
      'Leaves or deletes up to 100 dialogs, each like `DELETE /chat/Dialog/{id}`. Dialogs that the caller may ' +
      'not delete are listed under `WrongPermissions` and remain. Returns 404 if none of the ids exists.',
    path: { ids: described(text, 'Ids of dialogs, separated by commas.') },
    body: force('Mutation.deleteDialogs'),
    answer: deleted,
    errors: [new NotFoundError(), new UnprocessableError('A request may name at most 100 ids')],
    examples: [{ path: { ids: `${SAMPLES.dialog},${SAMPLES.otherDialog}` }, body: { force: 1 } }],
  },
  deleteDialog: {
    tag: 'Dialogs',
    summary: 'Leave or delete a dialog',
    description:
      'Without `force`, the caller leaves a group, or hides a private dialog until its next message; public ' +
      'groups are refused with 403. With `force=1`, the dialog and its messages are deleted for all users; only ' +
      'the owner or an API key alone can do this. An API key alone without `force` receives 422.',
    path,
    body: force('Mutation.deleteDialog'),
    answer: 'nothing',
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog }, body: { force: 1 } }],
  },
  findDialogNotifications: {
    tag: 'Dialogs',
    summary: "Get a dialog's push setting",
    description: 'Returns whether the caller receives pushes for new messages of the dialog. Enabled by default.',
    path,
    answer: dialogNotificationsShape.schema,
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog } }],
  },
  updateDialogNotifications: {
    tag: 'Dialogs',
    summary: "Change a dialog's push setting",
    description: 'Enables or disables pushes for new messages of the dialog, for the caller only.',
    path,
    body: argumentsOf('Mutation.updateDialogNotifications', {
      enabled: ['enabled', described(flag, '1 enables pushes, 0 disables them. Required.')],
    }),
    answer: dialogNotificationsShape.schema,
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog }, body: { enabled: 0 } }],
  },
} satisfies Record<string, OperationDocs | ((filters: FilterNames, sorts: Record<string, string>) => OperationDocs)>;
