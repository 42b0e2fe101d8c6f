import { type FieldErrors, InvalidFieldsError } from '../../lib/errors.ts';
import { hasOnlyOwnLinks, hasOnlyOwnWords } from './html-links.ts';
import { mentionsOf, PLACEHOLDERS, unknownPlaceholders } from './placeholders.ts';

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
export async function requireTexts({ subject, text, html }: GivenTexts): Promise<MailTexts> {
  const texts = { subject: subject.trim(), text: unixLines(text), html: blank(html) ? null : unixLines(html!) };
  const problems: FieldErrors = {};
  for (const [field, value] of Object.entries(texts)) {
    const sentences = value === null ? [] : await problemsOf(field as keyof MailTexts, value);
    if (sentences.length > 0) problems[field] = sentences;
  }
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);
  return texts;
}

async function problemsOf(field: keyof MailTexts, value: string): Promise<string[]> {
  const most = MAX_CHARACTERS[field];
  const problems: string[] = [];
  if (blank(value)) problems.push("can't be blank");
  if (value.length > most) problems.push(`is too long (maximum is ${most} characters)`);
  if (field === 'subject' && /\p{Cc}/u.test(value)) problems.push('should be one line without control characters');
  if (field !== 'subject' && /[^\P{Cc}\n\t]/u.test(value)) problems.push('should contain no control characters');
  if (field !== 'subject' && mentionsOf(value, 'link') === 0) problems.push('should contain {{link}}');
  if (field === 'subject' && mentionsOf(value, 'link') > 0) problems.push('should not contain {{link}}');
  if (field === 'text' && !hasOnlyOwnWords(value)) problems.push('should contain {{link}} only as a word of its own');
  if (field === 'html' && value.length <= most && !(await hasOnlyOwnLinks(value))) {
    problems.push(
      'should contain {{link}} only as a word of its own or as the href of a link, and nothing that reads it',
    );
  }
  const [unknown] = unknownPlaceholders(value);
  if (unknown !== undefined) {
    problems.push(`contains the unknown placeholder {{${unknown}}}; known are ${PLACEHOLDERS.join(', ')}`);
  }
  return problems;
}

const unixLines = (text: string) => text.replaceAll(/\r\n?/g, '\n');

const blank = (text: string | null | undefined) => text == null || text.trim() === '';
