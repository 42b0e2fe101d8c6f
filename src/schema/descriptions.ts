import { MAX_RECORDS } from '../resolvers/records/create.ts';

export const OPERATORS = {
  eq: 'Equal to this value; null matches unset values.',
  ne: 'Not equal to this value, or unset; null matches every set value.',
  lt: 'Less than, or earlier than, this value.',
  lte: 'Less than, earlier than or equal to this value.',
  gt: 'Greater than, or later than, this value.',
  gte: 'Greater than, later than or equal to this value.',
  in: 'Equal to one of these values; an empty list matches nothing.',
  notIn: 'Equal to none of these values, or unset.',
};

export const LIST_OPERATORS = {
  eq: 'Contains this value; null matches an unset list.',
  ne: 'Does not contain this value.',
  in: 'Contains at least one of these values; an empty list matches nothing.',
  notIn: 'Contains none of these values.',
  all: 'Contains all of these values.',
};

export const AND = 'All of these filters must match, in addition to the other fields.';
export const OR =
  'At least one of these filters must match, in addition to the other fields. An empty list is ignored.';
export const FILTER = 'Only return matching items. Default: all items.';
export const ORDER = 'Sort order. Default: the order in the description of this query.';
export const SORT_FIELD = 'The field to sort by.';
export const DIRECTION = 'Ascending or descending.';
export const TOTAL_COUNT = 'Number of items on all pages. Counted only if requested, because counting can be slow.';

export const CREATED_AT = 'Time of creation.';
export const UPDATED_AT = 'Time of the last change.';
export const USER_ID = 'Id from `users`.';
export const APPLICATION_ID = 'Id of the application that owns it, always the application of the caller.';

export const SKIPPED = 'Number of items skipped before this page.';
export const SKIP = 'Number of items to skip before the page.';
export const LIMIT = 'Maximum number of items on this page.';

export const CLASS_NAME = 'Class name, case-sensitive. An unknown name fails with `Undefined class`.';
export const RECORD_ID = 'Record id, 24 hex digits.';
export const FILE_FIELD = 'Name of a field of type `FILE`. Any other name fails with `UNPROCESSABLE`.';
export const RECORD_PERMISSIONS = 'Permissions of the record. Default: the permissions of the class.';
export const DIALOG_ID = 'Dialog id, 24 hex digits.';
export const MESSAGE_ID = 'Message id, 24 hex digits.';
export const ASSISTANT_ID =
  'Id of the assistant to use, the `smart_chat_assistant_id` of REST. An unknown id fails with `NOT_FOUND`.';

export const UPDATE_ONLY = 'Null if the caller may update but not read the record.';
export const UNLISTED =
  "Also null for sessions if the application disables `usersList`, except for the session's own user.";

export const EVENT_CURSOR =
  'Position in the stream of all events. Pass it as `since` to any operation to resume after this event.';
export const CURRENT_RECORD =
  'State of the record at delivery: replace your copy by it. Null means remove your copy, because the ' +
  'record was deleted, is no longer readable for the caller, or no longer matches `where`.';
export const PARENT_ID =
  'Id of the parent record, of any class. Deleting the parent also deletes this record. Fails with ' +
  '`UNPROCESSABLE` if the caller cannot read the parent.';
export const PARENT_OF_RECORD = `Id of the parent record, of any class; null if there is none. ${UPDATE_ONLY}`;
export const OWNER_ID = `Id of the owner; 0 if an API key without \`On-Behalf-Of\` created the record. ${UPDATE_ONLY}`;
export const RECORD_ORDER =
  'How to sort records. Unset values come last; ties are broken by `id` in the same direction.';
export const RECORD_IDS = `At most ${MAX_RECORDS} record ids, 24 hex digits each. More fail with \`UNPROCESSABLE\`.`;
export const NEW_RECORDS = `The records to create, 1 to ${MAX_RECORDS}. Other numbers fail with \`BAD_USER_INPUT\`.`;
export const CREATES_RECORD =
  'Creates a record owned by the caller. Fails with `FORBIDDEN` if the caller may not create records of ' +
  'the class, and with `UNPROCESSABLE` if values are invalid.';
export const DELETES_RECORD =
  'Deletes a record and all its descendants regardless of their owners, and returns true. Fails with ' +
  '`NOT_FOUND` if it does not exist and `FORBIDDEN` if the caller may not delete it.';
export const PERMISSION_CHANGES =
  'Permissions to change. Only the owner and API keys without `On-Behalf-Of` may change them; for other ' +
  'users a change fails with `FORBIDDEN`.';

/** Of the argument `skip`. @param items in the plural */
export function skipped(items: string): string {
  return `Number of ${items} to skip. The cost grows with this number; cursors do not have this cost.`;
}

/** `a`, `b` → `` `a`, `b` `` */
export function listOfNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** `a`, `b`, `c` → `` `a`, `b` or `c`. `` */
export function oneOfNames(names: readonly string[]): string {
  return `${listOfNames(names.slice(0, -1))} or ${listOfNames(names.slice(-1))}.`;
}

export const CONFIRMATION =
  'Fails with `CONFIRMATION_REQUIRED` unless the caller signed in or called `confirmAdministrator` within 15 minutes.';

/** 20000 → `20,000` */
export function grouped(count: number): string {
  return count.toLocaleString('en');
}
