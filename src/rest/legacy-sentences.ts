const SENTENCES: readonly (readonly [domain: RegExp, legacy: string])[] = [
  [/^dialogId or recipientId is required$/, 'chat_dialog_id or recipient_id is required'],
  [/^Incorrect recipientId$/, 'Incorrect recipient_id'],
  [/^messageId is not valid$/, 'Invalid or missing "message_id" parameter.'],
  [/^name should have 1 to \d+ characters$/, 'Invalid or missing "name" parameter.'],
  [/^type is required$/, 'Type should be 1, 2 or 3'],
  [/^A private dialog has exactly one other occupant$/, 'Incorrect occupant_id'],
  [/^criteria is required$/, 'search_criteria is required'],
  [/^by should be a field of the class$/, 'Incorrect filter: group_by'],
  [/^Incorrect calculation: (.*)$/s, 'Incorrect filter: $1[calc]'],
  [/^notificationType should be push$/, 'notification_type should be push'],
  [/^Unknown pushType: /, 'Unknown push_type: '],
  [/^Unknown eventType: /, 'Unknown event_type: '],
  [/^endDate (?=is not valid$|should not be before date$)/, 'end_date '],
  [/^position is required$/, 'current_position is required'],
  [
    /^Validation Error: assistantId: Assistant id /,
    'Validation Error: smart_chat_assistant_id: Smart chat assistant id ',
  ],
  [/^Validation Error: dialogId: /, 'Validation Error: dialog_id: '],
  [/^Validation Error: toLanguage: /, 'Validation Error: to_language: '],
];

export function legacySentence(sentence: string): string {
  const known = SENTENCES.find(([domain]) => domain.test(sentence));
  return known ? sentence.replace(known[0], known[1]) : sentence;
}
