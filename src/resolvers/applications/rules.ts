import type { FilesByNumber, GroupTags, PhoneMatching, SignatureHash } from '../../generated/prisma/client.ts';
import { type FieldErrors, InvalidFieldsError } from '../../lib/errors.ts';
import { isPhoneRegion } from '../address-book/phone-numbers.ts';

/** What may be changed of an application; what is left out, or null where null means nothing, stays as it is. */
export interface ApplicationChanges {
  name?: string | null;
  /** The one hash that signatures of its sessions may use. */
  signatureHash?: SignatureHash | null;
  /** Whether sessions may list its users. */
  usersList?: boolean | null;
  /** Which tags make a user a member of a group. */
  groups?: GroupTags | null;
  /** Who reads a file that is not public by its number. */
  filesByNumber?: FilesByNumber | null;
  /** Whether users may have mails sent by which they set a new password. */
  passwordReset?: boolean | null;
  /** Whether legacy clients, too, need the old password or a fresh sign-in to change e-mail, phone or login. */
  strictCredentialChanges?: boolean | null;
  /** Whether offline occupants get pushes of messages. */
  chatPushes?: boolean | null;
  /** Sliding lifetime of its sessions, at least 1; null is the service's own. */
  sessionMinutes?: number | null;
  /** How contacts of address books find registered users. */
  phoneMatching?: PhoneMatching | null;
  /** ISO country of numbers without country code; null: such numbers match only themselves. */
  phoneRegion?: string | null;
  answerAssist?: boolean | null;
  summarize?: boolean | null;
  translate?: boolean | null;
  gateway?: boolean | null;
  /** Tokens of models that each user may use up in a day (UTC). */
  aiDailyTokens?: number | null;
}

const MAX_NAME = 255;

export function problemsOf({ name, sessionMinutes, phoneRegion, aiDailyTokens }: ApplicationChanges): FieldErrors {
  const problems: FieldErrors = {};
  if (name?.trim() === '') problems.name = ["can't be blank"];
  if (name && name.trim().length > MAX_NAME) problems.name = [`is too long (maximum is ${MAX_NAME} characters)`];
  if (sessionMinutes != null && sessionMinutes < 1) problems.sessionMinutes = ['should be a positive integer'];
  if (phoneRegion != null && !isPhoneRegion(phoneRegion)) problems.phoneRegion = ['should be an ISO country code'];
  if (aiDailyTokens != null && aiDailyTokens < 0) problems.aiDailyTokens = ['should not be negative'];
  return problems;
}

export function requireNone(problems: FieldErrors): void {
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);
}
