import { z } from 'zod';
import type { AdministrationContext, Services } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import { newId } from '../../db/ids.ts';
import { transact } from '../../db/transact.ts';
import { isOutside } from '../../gateways/public-addresses.ts';
import type { Assistant } from '../../generated/prisma/client.ts';
import { jobOwnerOf, type OfApplication } from '../../lib/access.ts';
import { InvalidFieldsError, NotFoundError, requireNone } from '../../lib/errors.ts';
import { type FieldProblems, problemOfIssue } from '../../lib/problems.ts';
import { isStringId } from '../../lib/string-ids.ts';

/** Undefined leaves a field unchanged; so does null unless null is a valid value. */
export interface AssistantChanges {
  name?: string | null;
  baseUrl?: string | null;
  model?: string | null;
  apiKey?: string | null;
  instructions?: string | null;
}

export type NewAssistant = AssistantChanges & { name: string; baseUrl: string; model: string };

type AssistantServices = Pick<Services, 'now' | 'encrypter'> & { viewer?: OfApplication };

const printable = z.string().regex(/^[!-~]+$/, 'UNPRINTABLE_KEY');

const RULES = {
  name: z.string().trim().min(1, 'BLANK').max(255, 'TOO_LONG'),
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'NOT_AN_HTTP_ADDRESS' })
    .max(2000, 'TOO_LONG')
    .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'ADDRESS_WITH_CREDENTIALS'),
  model: printable.max(255, 'TOO_LONG'),
  apiKey: printable.max(4096, 'TOO_LONG'),
  instructions: z.string().max(20_000, 'TOO_LONG'),
};

/** Oldest first. */
export function listAssistants(
  applicationId: number,
  selection: Prisma.AssistantDefaultArgs = {},
): Promise<Assistant[]> {
  return db.assistant.findMany({ ...selection, where: { applicationId }, orderBy: { id: 'asc' } });
}

export async function findAssistant(
  applicationId: number,
  id: string,
  selection: Prisma.AssistantDefaultArgs = {},
): Promise<Assistant> {
  const assistant = isStringId(id)
    ? await db.assistant.findUnique({ ...selection, where: { applicationId_id: { applicationId, id } } })
    : null;
  if (!assistant) throw new NotFoundError();
  return assistant;
}

/** Requires a public address, because the server connects from inside its own network. */
export function createAssistant(
  input: NewAssistant,
  context: AdministrationContext,
  selection: Prisma.AssistantDefaultArgs = {},
): Promise<Assistant> {
  requirePublic(input);
  const { applicationId } = context.viewer;
  return storeAssistant({ ...input, applicationId, isTrusted: false }, context, selection);
}

/** A new address drops the API key unless the changes include one, so that the key never reaches another host. */
export function updateAssistant(
  id: string,
  changes: AssistantChanges,
  context: AdministrationContext,
  selection: Prisma.AssistantDefaultArgs = {},
): Promise<Assistant> {
  const { applicationId } = context.viewer;
  return changeAssistant(id, { ...changes, applicationId, isTrusted: false }, context, selection);
}

export async function changeAssistant(
  id: string,
  { applicationId, isTrusted, ...changes }: AssistantChanges & { applicationId: number; isTrusted: boolean },
  { viewer, now, encrypter }: AssistantServices,
  selection: Prisma.AssistantDefaultArgs = {},
): Promise<Assistant> {
  const before = await findAssistant(applicationId, id);
  const isMoved = changes.baseUrl != null && changes.baseUrl !== before.baseUrl;
  if (isMoved && !isTrusted) requirePublic(changes);
  requireNone(problemsOf(changes));
  const { name, baseUrl, model, apiKey, instructions } = changes;
  const isKeyless = apiKey === null || (isMoved && apiKey === undefined);
  const update: Prisma.AssistantUpdateManyAndReturnArgs = {
    ...selection,
    // A concurrent change of the address must not send its API key to this one.
    where: { applicationId, id, baseUrl: before.baseUrl },
    data: {
      name: name?.trim(),
      baseUrl: baseUrl ?? undefined,
      isTrusted: isMoved || (isTrusted && baseUrl != null) ? isTrusted : undefined,
      model: model ?? undefined,
      encryptedApiKey: isKeyless
        ? null
        : apiKey && encrypter.encrypt(apiKey, additionalDataOfApiKey({ applicationId, id })),
      instructions: instructions ?? undefined,
      updatedAt: now(),
    },
  };
  const owner = jobOwnerOf({ ...viewer, applicationId });
  const [updated] = await transact(owner, (transaction) => transaction.assistant.updateManyAndReturn(update));
  if (!updated) throw new NotFoundError();
  return updated;
}

export async function deleteAssistant(id: string, { viewer }: AdministrationContext): Promise<true> {
  const where = { applicationId: viewer.applicationId, id };
  const { count } = await transact(jobOwnerOf(viewer), (transaction) => transaction.assistant.deleteMany({ where }));
  if (count === 0) throw new NotFoundError();
  return true;
}

export async function storeAssistant(
  input: NewAssistant & { applicationId: number; isTrusted: boolean },
  { viewer, now, encrypter }: AssistantServices,
  selection: Prisma.AssistantDefaultArgs = {},
): Promise<Assistant> {
  requireNone(problemsOf(input));
  const { applicationId, isTrusted, name, baseUrl, model, apiKey, instructions } = input;
  const at = now();
  const id = newId(at);
  const create: Prisma.AssistantCreateArgs = {
    ...selection,
    data: {
      applicationId,
      id,
      name: name.trim(),
      baseUrl,
      isTrusted,
      model,
      encryptedApiKey: apiKey ? encrypter.encrypt(apiKey, additionalDataOfApiKey({ applicationId, id })) : null,
      instructions: instructions ?? '',
      createdAt: at,
      updatedAt: at,
    },
  };
  return transact(jobOwnerOf({ ...viewer, applicationId }), (transaction) => transaction.assistant.create(create));
}

function problemsOf(changes: AssistantChanges): FieldProblems {
  const problems: FieldProblems = {};
  for (const [field, rule] of Object.entries(RULES)) {
    const value = changes[field as keyof AssistantChanges];
    const found = value == null ? [] : (rule.safeParse(value).error?.issues ?? []).map(problemOfIssue);
    if (found.length > 0) problems[field] = found;
  }
  return problems;
}

function requirePublic({ baseUrl }: AssistantChanges): void {
  if (baseUrl == null || !URL.canParse(baseUrl) || isOutside(new URL(baseUrl))) return;
  throw new InvalidFieldsError({ baseUrl: ['NOT_PUBLIC'] });
}

/** Binds the key to its row. */
export function additionalDataOfApiKey({ applicationId, id }: Pick<Assistant, 'applicationId' | 'id'>): string {
  return `assistants ${applicationId} ${id}`;
}
