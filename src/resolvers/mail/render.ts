import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { MailTemplateKind } from '../../generated/prisma/client.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { mailHtml } from '../../lib/mail-html.ts';
import { filled, filledHtml, filledSubject, type MailValues } from './placeholders.ts';
import { type MailTexts, type MailTextsInput, requireTexts } from './rules.ts';
import { defaultOf, findMailTemplate, type MailTemplate } from './templates.ts';

export function rendered({ subject, text, html }: MailTexts, values: MailValues): MailTexts {
  return {
    subject: filledSubject(subject, values),
    text: filled(text, values),
    html: html === null ? null : filledHtml(html, values),
  };
}

/** The mail with these values. @param mayBeOwn whether texts of the application may be sent; otherwise the default ones are */
export async function renderMail(
  applicationId: number,
  kind: MailTemplateKind,
  values: MailValues,
  { mayBeOwn = async () => true, language }: { mayBeOwn?: () => Promise<boolean>; language?: string | null } = {},
): Promise<{ subject: string; text: string; html: string | undefined }> {
  const found = await findMailTemplate(applicationId, kind, language);
  const template = found.isDefault || (await mayBeOwn()) ? found : defaultOf(kind);
  const { html, ...texts } = rendered(await soundTexts(template), values);
  if (template.isDefault) return { ...texts, html: mailHtml(texts.text, values.link) };
  return { ...texts, html: html ?? undefined };
}

/** Texts that were stored under other rules, or imported, may send the link to other servers. */
async function soundTexts(template: MailTemplate): Promise<MailTexts> {
  if (template.isDefault) return template;
  return requireTexts(template.kind, template).catch((error: unknown) => {
    if (error instanceof InvalidFieldsError) return defaultOf(template.kind);
    throw error;
  });
}

type SampleContext = Pick<Context, 'resetPageUrl'>;

/** The texts with the values of a sample user, without storing them. @throws {InvalidFieldsError} */
export async function previewMail(
  { kind, ...given }: MailTextsInput & { kind: MailTemplateKind },
  applicationId: number,
  context: SampleContext,
) {
  return rendered(await requireTexts(kind, given), await sampleValues(applicationId, context));
}

export async function sampleValues(applicationId: number, { resetPageUrl }: SampleContext): Promise<MailValues> {
  const { name } = await db.application.findUniqueOrThrow({ where: { id: applicationId }, select: { name: true } });
  const link = new URL(resetPageUrl());
  link.searchParams.set('reset_token', '0'.repeat(40));
  const device = 'Firefox on Linux, 203.0.113.7';
  return {
    application: name,
    name: 'Grace Hopper',
    login: 'grace',
    link: link.href,
    code: '123456',
    minutes: '60',
    device,
  };
}
