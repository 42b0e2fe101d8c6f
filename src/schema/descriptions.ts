// Sentences that descriptions in several files share.

/** What filters ask of a field that holds one value. */
export const OPERATORS = {
  eq: 'Equal to it; null finds what is unset.',
  ne: 'Anything but it; null finds what is set.',
  lt: 'Less, or earlier, than it.',
  lte: 'Less, or earlier, than it, or equal to it.',
  gt: 'Greater, or later, than it.',
  gte: 'Greater, or later, than it, or equal to it.',
  in: 'Equal to one of these.',
  notIn: 'Equal to none of these.',
};

/** What filters ask of a field that holds several values. */
export const LIST_OPERATORS = {
  eq: 'Holds it.',
  ne: 'Does not hold it.',
  in: 'Holds any of them.',
  notIn: 'Holds none of them.',
  all: 'Holds every one of them.',
};

export const AND = 'Each of these must match, beside what else is given.';
export const OR = 'At least one of these must match, beside what else is given.';
export const FILTER = 'Only those that match; left out, all.';
export const ORDER = 'How to sort; left out, as the description of the list says.';
export const SORT_FIELD = 'By which field to sort.';
export const DIRECTION = 'Which way to sort.';
export const TOTAL_COUNT = 'How many there are on all pages together; counted only when it is asked for.';

export const CREATED_AT = 'When it was made.';
export const UPDATED_AT = 'When it was last changed.';
export const APPLICATION_ID = 'The application it belongs to: that of the caller.';

export const SKIPPED = 'How many were passed over.';
export const SKIP = 'How many to pass over before the page begins.';
export const LIMIT = 'How many the page has at most.';

export const CLASS_NAME = 'Name of a class of the application, letter case included.';
export const RECORD_ID = 'Id of the record, 24 hex digits.';
export const FILE_FIELD = 'Name of the field, which is one of the type `FILE`.';
export const RECORD_PERMISSIONS = 'Who may do what; left out, as the class says.';
export const DIALOG_ID = 'Id of the dialog, 24 hex digits.';
export const MESSAGE_ID = 'Id of the message, 24 hex digits.';
export const ASSISTANT_ID = 'Id of the assistant that answers: the `smart_chat_assistant_id` of the REST contract.';

export const UPDATE_ONLY = 'Null to a caller who may update the record and not read it.';
export const UNLISTED =
  'Null to sessions of an application that does not let them list its users, but for their own user.';

/** `a`, `b` → `` `a`, `b` `` */
export function listOfNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** `a`, `b`, `c` → `` `a`, `b` or `c`. `` */
export function oneOfNames(names: readonly string[]): string {
  return `${listOfNames(names.slice(0, -1))} or ${listOfNames(names.slice(-1))}.`;
}
