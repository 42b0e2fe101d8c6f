import type { MailTemplateKind } from '../../generated/prisma/client.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { type FieldProblems, type Problem, problem } from '../../lib/problems.ts';
import { hasOnlyOwnLinks, hasOnlyOwnWords } from './html-links.ts';
import { mentionsOf, PLACEHOLDERS, unknownPlaceholders } from './placeholders.ts';

export interface MailTexts {
  subject: string;
  text: string;
  html: string | null;
}

export interface MailTextsInput {
  subject: string;
  text: string;
  html?: string | null | undefined;
}

export const MAX_CHARACTERS = { subject: 200, text: 20_000, html: 100_000 };

const LINK = { placeholder: '{{link}}' };

/** What a mail is useless without. */
const REQUIRED: Record<MailTemplateKind, 'link' | 'code' | undefined> = {
  passwordReset: 'link',
  emailVerification: 'code',
  signInCode: 'code',
  newDevice: undefined,
};

/** @returns the texts as stored: with `\n` as line break @throws {InvalidFieldsError} */
export async function requireTexts(
  kind: MailTemplateKind,
  { subject, text, html }: MailTextsInput,
): Promise<MailTexts> {
  const texts = { subject: subject.trim(), text: unixLines(text), html: blank(html) ? null : unixLines(html!) };
  const problems: FieldProblems = {};
  for (const [field, value] of Object.entries(texts)) {
    const found = value === null ? [] : await problemsOf(field as keyof MailTexts, value, REQUIRED[kind]);
    if (found.length > 0) problems[field] = found;
  }
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);
  return texts;
}

async function problemsOf(
  field: keyof MailTexts,
  value: string,
  required: 'link' | 'code' | undefined,
): Promise<Problem[]> {
  const most = MAX_CHARACTERS[field];
  const problems: Problem[] = [];
  if (blank(value)) problems.push('BLANK');
  if (value.length > most) problems.push(problem('TOO_LONG', { max: most }));
  if (field === 'subject' && /\p{Cc}/u.test(value)) problems.push('NOT_ONE_LINE');
  if (field !== 'subject' && /[^\P{Cc}\n\t]/u.test(value)) problems.push('CONTROL_CHARACTERS');
  if (field !== 'subject' && required && mentionsOf(value, required) === 0) {
    problems.push(problem('LINK_MISSING', { placeholder: `{{${required}}}` }));
  }
  // A code is as secret as a link.
  const asLinks = value.replaceAll(/\{\{ ?code/g, '{{link');
  if (field === 'subject' && mentionsOf(asLinks, 'link') > 0) problems.push(problem('LINK_NOT_ALLOWED', LINK));
  if (field === 'text' && !hasOnlyOwnWords(asLinks)) problems.push(problem('LINK_NOT_A_WORD', LINK));
  if (field === 'html' && value.length <= most && !(await hasOnlyOwnLinks(asLinks))) {
    problems.push(problem('LINK_MISPLACED', LINK));
  }
  const [unknown] = unknownPlaceholders(value);
  if (unknown !== undefined) {
    problems.push(problem('PLACEHOLDER_UNKNOWN', { placeholder: `{{${unknown}}}`, known: PLACEHOLDERS.join(', ') }));
  }
  return problems;
}

const unixLines = (text: string) => text.replaceAll(/\r\n?/g, '\n');

const blank = (text: string | null | undefined) => text == null || text.trim() === '';
