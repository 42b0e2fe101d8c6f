import { ForbiddenError, NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { problem } from '../../../lib/problems.ts';
import { MAX_NAME, tooManyOccupants } from '../../../resolvers/dialogs/rules.ts';
import { dialogShape } from '../../shapes/dialog.ts';
import { deleted } from './deletions.ts';
import { tooManyIds, undefinedClass } from './errors.ts';
import { count, windowMembers } from './lists.ts';
import { docsOf } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { closed, described, integer, listOf } from './schemas.ts';

const notFound = [new ForbiddenError(), new NotFoundError()];
export const dialogDocs = docsOf('Dialogs', {
  createDialog: {
    summary: 'Create a dialog',
    description:
      'Creates a dialog owned by the caller, who becomes an occupant. If the private dialog (type 3) already ' +
      'exists, it is returned unchanged, also with 201, and is visible to the caller again if it was hidden.',
    status: 201,
    errors: [
      new UnprocessableError('DIALOG_TYPE_REQUIRED', 'NAME_REQUIRED'),
      new UnprocessableError('OCCUPANTS_UNKNOWN'),
      new UnprocessableError('PRIVATE_DIALOG_OCCUPANTS'),
      new UnprocessableError('PHOTO_INVALID'),
      new UnprocessableError(tooManyOccupants),
      undefinedClass,
    ],
    examples: [
      { summary: 'Group', body: { type: 2, name: 'Lunch', occupants_ids: [SAMPLES.friend] } },
      { summary: 'Private dialog', body: { type: 3, occupants_ids: [SAMPLES.friend] } },
    ],
  },
  listDialogs: {
    summary: 'List dialogs',
    description:
      'Returns the groups and private dialogs of the caller that are not hidden, and all public groups. An API ' +
      'key alone receives all dialogs of the application. By default, dialogs with the latest activity come ' +
      'first. With `count=1`, only their number is returned.',
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
      new UnprocessableError(problem('FILTER_INCORRECT', { filter: 'type[like]' })),
      new UnprocessableError(problem('SORT_INCORRECT', { field: 'photo' })),
      undefinedClass,
    ],
    examples: [
      { summary: 'Groups, sorted by name', query: { type: { in: '1,2' }, sort_asc: 'name', limit: 10 } },
      { summary: 'Only the number', query: { count: 1 } },
    ],
  },
  findDialog: {
    summary: 'Get a dialog',
    description:
      'Returns a dialog that the caller can see. An unknown id is a 404. If the caller is not an occupant, the ' +
      'response is 403; public groups are open to every user.',
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog } }],
  },
  updateDialog: {
    summary: 'Update a dialog',
    description:
      'Changes the given fields of a dialog. If the caller may not make one of the changes, the response is 403 ' +
      'and nothing changes. Name, photo, data and the join flag can be changed by any occupant of a group and ' +
      'by the owner of a public group; `data` also by both users of a private dialog. Any occupant of a group ' +
      'can add occupants and remove themselves. The owner and admins of a group can remove others, and only the ' +
      'owner can change admins. An API key alone has the rights of the owner. Without any change, the response ' +
      'is 200.',
    errors: [
      ...notFound,
      undefinedClass,
      new UnprocessableError(problem('NAME_TOO_LONG', { max: MAX_NAME })),
      new UnprocessableError('OCCUPANTS_UNKNOWN'),
    ],
    examples: [
      { path: { id: SAMPLES.dialog }, body: { name: 'Late lunch', push_all: { occupants_ids: [SAMPLES.friend] } } },
    ],
  },
  deleteDialogs: {
    summary: 'Leave or delete several dialogs',
    description:
      'Leaves or deletes up to 100 dialogs, each like `DELETE /chat/Dialog/{id}`. Dialogs that the caller may ' +
      'not delete are listed under `WrongPermissions` and remain. Returns 404 if none of the ids exists.',
    answer: deleted,
    errors: [new NotFoundError(), tooManyIds],
    examples: [{ path: { ids: `${SAMPLES.dialog},${SAMPLES.otherDialog}` }, body: { force: 1 } }],
  },
  deleteDialog: {
    summary: 'Leave or delete a dialog',
    description:
      'Without `force`, the caller leaves a group, or hides a private dialog until its next message; public ' +
      'groups are refused with 403. With `force=1`, the dialog and its messages are deleted for all users; only ' +
      'the owner or an API key alone can do this. An API key alone without `force` receives 422.',
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog }, body: { force: 1 } }],
  },
  findDialogNotifications: {
    summary: "Get a dialog's push setting",
    description: 'Returns whether the caller receives pushes for new messages of the dialog. Enabled by default.',
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog } }],
  },
  updateDialogNotifications: {
    summary: "Change a dialog's push setting",
    description: 'Enables or disables pushes for new messages of the dialog, for the caller only.',
    errors: notFound,
    examples: [{ path: { id: SAMPLES.dialog }, body: { enabled: 0 } }],
  },
});
