import { escapeHtml } from '../../lib/escape-html.ts';

export const PLACEHOLDERS = ['application', 'name', 'login', 'link', 'code', 'minutes', 'device'] as const;

/** Empty if the mail has no such value. */
export type MailValues = Partial<Record<(typeof PLACEHOLDERS)[number], string>>;

/** `{{name}}`, or `{{name|there}}` with a text for users without a name. */
const PLACEHOLDER = / ?\{\{([^{}]{0,200})\}\}/g;

const MAX_SUBJECT = 250;

/** Plain text. An empty value also removes the space before it. */
export function filled(template: string, values: MailValues): string {
  return replaced(template, values, (value) => value);
}

export function filledHtml(template: string, values: MailValues): string {
  return replaced(template, values, escapeHtml);
}

/** One line, because a line break would begin a header. */
export function filledSubject(template: string, values: MailValues): string {
  return filled(template, values)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_SUBJECT)
    .trim();
}

/** Names that are no placeholders. */
export function unknownPlaceholders(template: string): string[] {
  return [...new Set(namesIn(template).filter((name) => !isPlaceholder(name)))];
}

export function mentionsOf(template: string, wanted: (typeof PLACEHOLDERS)[number]): number {
  return namesIn(template).filter((name) => name === wanted).length;
}

/** The template with this text in place of each `{{link}}`. */
export function withLink(template: string, link: string): string {
  return template.replaceAll(/\{\{([^{}]{0,200})\}\}/g, (whole, inner: string) =>
    nameIn(inner) === 'link' ? link : whole,
  );
}

function namesIn(template: string): string[] {
  return [...template.matchAll(/\{\{([^{}]{0,200})\}\}/g)].map(([, inner]) => nameIn(inner!));
}

function replaced(template: string, values: MailValues, encode: (value: string) => string): string {
  return template.replaceAll(PLACEHOLDER, (whole, inner: string) => {
    const name = nameIn(inner);
    if (!isPlaceholder(name)) return whole;
    const value = harmless(values[name] ?? '') || fallbackIn(inner);
    return value === '' ? '' : `${whole.startsWith(' ') ? ' ' : ''}${encode(value)}`;
  });
}

const nameIn = (inner: string) => inner.split('|', 1)[0]!.trim();

const fallbackIn = (inner: string) => (inner.includes('|') ? inner.slice(inner.indexOf('|') + 1).trim() : '');

const isPlaceholder = (name: string): name is keyof MailValues => (PLACEHOLDERS as readonly string[]).includes(name);

/** Users choose names; a line break could imitate another paragraph of the mail. */
function harmless(value: string): string {
  return value.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
