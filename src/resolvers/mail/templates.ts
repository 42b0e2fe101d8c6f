import type { AdministrationContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { MailTemplateKind } from '../../generated/prisma/client.ts';
import { MailTemplateKind as Kinds } from '../../generated/prisma/enums.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { DEFAULTS } from './defaults.ts';
import { type MailTexts, type MailTextsInput, requireTexts } from './rules.ts';

export interface MailTemplate extends MailTexts {
  kind: MailTemplateKind;
  /** BCP 47, in lower case; empty: all others. */
  language: string;
  isDefault: boolean;
  /** Null for a default. */
  updatedAt: Date | null;
}

export type TemplateInput = MailTextsInput & { kind: MailTemplateKind; language?: string | null };

/** Every kind of mail with the texts of the application, or else of the service, then the texts for languages. */
export async function listMailTemplates(applicationId: number): Promise<MailTemplate[]> {
  const stored = await db.mailTemplate.findMany({ where: { applicationId }, orderBy: { language: 'asc' } });
  return Object.values(Kinds).flatMap((kind) => {
    const own = stored.filter((one) => one.kind === kind).map((one) => ({ ...one, isDefault: false }));
    return own[0]?.language === '' ? own : [defaultOf(kind), ...own];
  });
}

/** @param language `de-AT` also finds texts for `de`, and then those for all languages */
export async function findMailTemplate(
  applicationId: number,
  kind: MailTemplateKind,
  language?: string | null,
): Promise<MailTemplate> {
  const wanted = languagesFor(language);
  const stored = await db.mailTemplate.findMany({ where: { applicationId, kind, language: { in: wanted } } });
  const own = wanted.flatMap((one) => stored.find(({ language }) => language === one) ?? [])[0];
  return own ? { ...own, isDefault: false } : defaultOf(kind);
}

function languagesFor(language: string | null | undefined): string[] {
  const whole = language?.trim().toLowerCase() ?? '';
  return [...new Set([whole, whole.split('-', 1)[0]!, ''])];
}

/** @throws {InvalidFieldsError} */
function requireLanguage(language: string | null | undefined): string {
  const tag = language?.trim().toLowerCase() ?? '';
  if (tag !== '' && !/^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/.test(tag)) {
    throw new InvalidFieldsError({ language: ['NOT_A_LANGUAGE'] });
  }
  return tag;
}

/** @throws {InvalidFieldsError} */
export async function updateMailTemplate(
  { kind, language, ...given }: TemplateInput,
  { viewer, now }: Pick<AdministrationContext, 'viewer' | 'now'>,
): Promise<MailTemplate> {
  const key = { applicationId: viewer.applicationId, kind, language: requireLanguage(language) };
  const values = { ...(await requireTexts(kind, given)), updatedAt: now() };
  const stored = await transact(jobOwnerOf(viewer), (transaction) =>
    transaction.mailTemplate.upsert({
      where: { applicationId_kind_language: key },
      create: { ...key, ...values, createdAt: values.updatedAt },
      update: values,
    }),
  );
  return { ...stored, isDefault: false };
}

/** @returns the default, which applies from now on */
export async function resetMailTemplate(
  kind: MailTemplateKind,
  language: string | null | undefined,
  { viewer }: Pick<AdministrationContext, 'viewer'>,
): Promise<MailTemplate> {
  const where = { applicationId: viewer.applicationId, kind, language: requireLanguage(language) };
  await transact(jobOwnerOf(viewer), (transaction) => transaction.mailTemplate.deleteMany({ where }));
  return defaultOf(kind);
}

export function defaultOf(kind: MailTemplateKind): MailTemplate {
  return { kind, language: '', ...DEFAULTS[kind], isDefault: true, updatedAt: null };
}
