import { type FieldErrors, InvalidFieldsError } from '../../lib/errors.ts';
import { hasPlaceholder, PLACEHOLDERS, unknownPlaceholders } from './placeholders.ts';

export interface MailTexts {
  subject: string;
  text: string;
  html: string | null;
}

export interface GivenTexts {
  subject: string;
  text: string;
  html?: string | null | undefined;
}

const MAX_CHARACTERS = { subject: 200, text: 20_000, html: 100_000 };

/** @returns the texts as stored: with `\n` as line break @throws {InvalidFieldsError} */
export function requireTexts({ subject, text, html }: GivenTexts): MailTexts {
  const texts = { subject: subject.trim(), text: unixLines(text), html: blank(html) ? null : unixLines(html!) };
  const problems: FieldErrors = {};
  for (const [field, value] of Object.entries(texts)) {
    const sentences = value === null ? [] : problemsOf(field as keyof MailTexts, value);
    if (sentences.length > 0) problems[field] = sentences;
  }
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);
  return texts;
}

function problemsOf(field: keyof MailTexts, value: string): string[] {
  const most = MAX_CHARACTERS[field];
  const problems: string[] = [];
  if (blank(value)) problems.push("can't be blank");
  if (value.length > most) problems.push(`is too long (maximum is ${most} characters)`);
  if (field === 'subject' && /\p{Cc}/u.test(value)) problems.push('should be one line without control characters');
  if (field !== 'subject' && /[^\P{Cc}\n\t]/u.test(value)) problems.push('should contain no control characters');
  if (field !== 'subject' && !hasPlaceholder(value, 'link')) problems.push('should contain {{link}}');
  if (field === 'subject' && hasPlaceholder(value, 'link')) problems.push('should not contain {{link}}');
  const [unknown] = unknownPlaceholders(value);
  if (unknown !== undefined) {
    problems.push(`contains the unknown placeholder {{${unknown}}}; known are ${PLACEHOLDERS.join(', ')}`);
  }
  return problems;
}

const unixLines = (text: string) => text.replaceAll(/\r\n?/g, '\n');

const blank = (text: string | null | undefined) => text == null || text.trim() === '';
