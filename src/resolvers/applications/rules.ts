import type { Application } from '../../generated/prisma/client.ts';
import { isAppUrl } from '../../lib/app-url.ts';
import { originProblems } from '../../lib/passkey-origins.ts';
import { type FieldProblems, problem } from '../../lib/problems.ts';

import { isRoleName, MAX_ROLES } from '../users/roles.ts';

/** In the order in which they are shown; GraphQL, CLI and updates are derived from it. */
export const SETTINGS = [
  'name',
  'signatureHash',
  'publicSignIn',
  'usersList',
  'groups',
  'filesByNumber',
  'passwordReset',
  'appUrl',
  'strictCredentialChanges',
  'emailSignIn',
  'verifyEmails',
  'verifiedEmailRequired',
  'deviceMails',
  'maxSessionMinutes',
  'guestDays',
  'secondFactors',
  'secondFactorRoles',
  'passkeyOrigins',
  'strictPasswords',
  'dialogCreators',
  'chatPushes',
  'sessionMinutes',
  'phoneMatching',
  'phoneRegion',
  'answerAssist',
  'summarize',
  'translate',
  'gateway',
  'aiDailyTokens',
] as const satisfies (keyof Application)[];

/** Those for which null is a value: none, or the default of the service. */
export const NULLABLE_SETTINGS: readonly SettingName[] = [
  'appUrl',
  'sessionMinutes',
  'maxSessionMinutes',
  'guestDays',
  'phoneRegion',
];

export type SettingName = (typeof SETTINGS)[number];

/** Undefined leaves a setting unchanged; so does null unless null is a value. */
export type ApplicationChanges = { [Name in SettingName]?: Application[Name] | null };

export const MAX_NAME = 255;

export async function problemsOf(changes: ApplicationChanges): Promise<FieldProblems> {
  const { name, appUrl, phoneRegion, aiDailyTokens } = changes;
  const problems: FieldProblems = {};
  if (name?.trim() === '') problems.name = ['BLANK'];
  if (name && name.trim().length > MAX_NAME) problems.name = [problem('TOO_LONG', { max: MAX_NAME })];
  for (const name of ['sessionMinutes', 'maxSessionMinutes', 'guestDays'] as const) {
    if (changes[name] != null && changes[name] < 1) problems[name] = ['NOT_POSITIVE'];
  }
  if (appUrl != null && !isAppUrl(appUrl.trim())) {
    problems.appUrl = ['NOT_AN_ADDRESS'];
  }
  if (phoneRegion != null) {
    const { isPhoneRegion } = await import('../address-book/phone-numbers.ts');
    if (!isPhoneRegion(phoneRegion)) problems.phoneRegion = ['NOT_A_COUNTRY'];
  }
  if (aiDailyTokens != null && aiDailyTokens < 0) problems.aiDailyTokens = ['NEGATIVE'];
  for (const name of ['dialogCreators', 'secondFactorRoles'] as const) {
    if (changes[name]?.some((role) => !isRoleName(role))) problems[name] = ['ROLE_NAME_INVALID'];
    if ((changes[name]?.length ?? 0) > MAX_ROLES) problems[name] = [problem('TOO_MANY_ENTRIES', { max: MAX_ROLES })];
  }
  const ofOrigins = originProblems(changes.passkeyOrigins ?? []);
  if (ofOrigins.length > 0) problems.passkeyOrigins = ofOrigins;
  return problems;
}
