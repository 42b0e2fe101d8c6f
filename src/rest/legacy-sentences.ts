import { detailsOf, type Problem, type Reason, sentenceOf } from '../lib/problems.ts';

/** Texts of the contract that differ from the sentences of the domain. */
export const LEGACY: { readonly [Name in Reason]?: string } = {
  EMAIL_INVALID: 'should look like an email address.',
  RECIPIENT_REQUIRED: 'chat_dialog_id or recipient_id is required',
  RECIPIENT_UNKNOWN: 'Incorrect recipient_id',
  MESSAGE_ID_INVALID: 'Invalid or missing "message_id" parameter.',
  REACTION_NAME_INVALID: 'Invalid or missing "name" parameter.',
  DIALOG_TYPE_REQUIRED: 'Type should be 1, 2 or 3',
  PRIVATE_DIALOG_OCCUPANTS: 'Incorrect occupant_id',
  CRITERIA_REQUIRED: 'search_criteria is required',
  GROUP_FIELD_UNKNOWN: 'Incorrect filter: group_by',
  CALCULATION_INCORRECT: 'Incorrect filter: {field}[calc]',
  NOTIFICATION_TYPE_INVALID: 'notification_type should be push',
  PUSH_TYPE_UNKNOWN: 'Unknown push_type: {type}',
  EVENT_TYPE_UNKNOWN: 'Unknown event_type: {type}',
  END_DATE_INVALID: 'end_date is not valid',
  END_BEFORE_DATE: 'end_date should not be before date',
  POSITION_REQUIRED: 'current_position is required',
};

const PARAMETERS: Record<string, Record<string, string>> = {
  assistantId: { parameter: 'smart_chat_assistant_id', words: 'Smart chat assistant id' },
  dialogId: { parameter: 'dialog_id' },
  toLanguage: { parameter: 'to_language' },
};

export function legacySentence(problem: Problem): string {
  const { parameters, ...others } = detailsOf(problem);
  const legacy = PARAMETERS[String(parameters.parameter)];
  return sentenceOf(legacy ? { ...others, parameters: { ...parameters, ...legacy } } : problem, LEGACY);
}

/** Texts by field, without the names of the fields. */
export function legacyTexts(fields: Record<string, readonly Problem[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(fields).map(([field, problems]) => [field, problems.map(legacySentence)]));
}
