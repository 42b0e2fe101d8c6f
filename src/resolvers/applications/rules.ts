import type { FilesByNumber, GroupTags, PhoneMatching, SignatureHash } from '../../generated/prisma/client.ts';
import { isAppUrl } from '../../lib/app-url.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { type FieldProblems, problem } from '../../lib/problems.ts';

/** Undefined leaves a field unchanged; so does null unless null is a valid value. */
export interface ApplicationChanges {
  name?: string | null;
  /** Signatures of its sessions may use no other hash. */
  signatureHash?: SignatureHash | null;
  /** Whether sessions open without a signature. */
  publicSignIn?: boolean | null;
  usersList?: boolean | null;
  /** Which tags make a user a member of a group. */
  groups?: GroupTags | null;
  filesByNumber?: FilesByNumber | null;
  passwordReset?: boolean | null;
  /** Null removes it. */
  appUrl?: string | null;
  /** Whether also legacy clients need the old password or a recent sign-in to change credentials. */
  strictCredentialChanges?: boolean | null;
  chatPushes?: boolean | null;
  /** At least 1; null selects the default of the service. */
  sessionMinutes?: number | null;
  phoneMatching?: PhoneMatching | null;
  /** ISO country of numbers without country code; null compares their exact text. */
  phoneRegion?: string | null;
  answerAssist?: boolean | null;
  summarize?: boolean | null;
  translate?: boolean | null;
  gateway?: boolean | null;
  /** Model tokens per user and day (UTC). */
  aiDailyTokens?: number | null;
}

export const MAX_NAME = 255;

export async function problemsOf(changes: ApplicationChanges): Promise<FieldProblems> {
  const { name, appUrl, sessionMinutes, phoneRegion, aiDailyTokens } = changes;
  const problems: FieldProblems = {};
  if (name?.trim() === '') problems.name = ['BLANK'];
  if (name && name.trim().length > MAX_NAME) problems.name = [problem('TOO_LONG', { max: MAX_NAME })];
  if (sessionMinutes != null && sessionMinutes < 1) problems.sessionMinutes = ['NOT_POSITIVE'];
  if (appUrl != null && !isAppUrl(appUrl.trim())) {
    problems.appUrl = ['NOT_AN_ADDRESS'];
  }
  if (phoneRegion != null) {
    const { isPhoneRegion } = await import('../address-book/phone-numbers.ts');
    if (!isPhoneRegion(phoneRegion)) problems.phoneRegion = ['NOT_A_COUNTRY'];
  }
  if (aiDailyTokens != null && aiDailyTokens < 0) problems.aiDailyTokens = ['NEGATIVE'];
  return problems;
}

export function requireNone(problems: FieldProblems): void {
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);
}
