import type { AdministrationContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { MailTemplateKind } from '../../generated/prisma/client.ts';
import { MailTemplateKind as Kinds } from '../../generated/prisma/enums.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { DEFAULTS } from './defaults.ts';
import { type MailTexts, type MailTextsInput, requireTexts } from './rules.ts';

export interface MailTemplate extends MailTexts {
  kind: MailTemplateKind;
  isDefault: boolean;
  /** Null for a default. */
  updatedAt: Date | null;
}

export type TemplateInput = MailTextsInput & { kind: MailTemplateKind };

/** Every kind of mail, with its default text unless the application has another one. */
export async function listMailTemplates(applicationId: number): Promise<MailTemplate[]> {
  const stored = await db.mailTemplate.findMany({ where: { applicationId } });
  return Object.values(Kinds).map((kind) => {
    const own = stored.find((one) => one.kind === kind);
    return own ? { ...own, isDefault: false } : defaultOf(kind);
  });
}

export async function findMailTemplate(applicationId: number, kind: MailTemplateKind): Promise<MailTemplate> {
  const own = await db.mailTemplate.findUnique({ where: { applicationId_kind: { applicationId, kind } } });
  return own ? { ...own, isDefault: false } : defaultOf(kind);
}

/** @throws {InvalidFieldsError} */
export async function updateMailTemplate(
  { kind, ...given }: TemplateInput,
  { viewer, now }: Pick<AdministrationContext, 'viewer' | 'now'>,
): Promise<MailTemplate> {
  const key = { applicationId: viewer.applicationId, kind };
  const values = { ...(await requireTexts(given)), updatedAt: now() };
  const stored = await transact(jobOwnerOf(viewer), (transaction) =>
    transaction.mailTemplate.upsert({
      where: { applicationId_kind: key },
      create: { ...key, ...values, createdAt: values.updatedAt },
      update: values,
    }),
  );
  return { ...stored, isDefault: false };
}

/** @returns the default, which applies from now on */
export async function resetMailTemplate(
  kind: MailTemplateKind,
  { viewer }: Pick<AdministrationContext, 'viewer'>,
): Promise<MailTemplate> {
  const where = { applicationId: viewer.applicationId, kind };
  await transact(jobOwnerOf(viewer), (transaction) => transaction.mailTemplate.deleteMany({ where }));
  return defaultOf(kind);
}

export function defaultOf(kind: MailTemplateKind): MailTemplate {
  return { kind, ...DEFAULTS[kind], isDefault: true, updatedAt: null };
}
