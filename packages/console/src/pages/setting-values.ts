import { t } from '@lingui/core/macro';
import type { SETTING_NAMES } from './setting-names.ts';

type OfSettings<Value> = Partial<Record<keyof typeof SETTING_NAMES, Value>>;

export const DESCRIPTIONS: OfSettings<string> = {
  sessionMinutes: t`Minutes after the last request; empty: the default of the server`,
  appUrl: t`The page of a password reset links back to it, for example https://shop.example.com or com.example.shop://sign-in`,
  publicSignIn: t`Apps open sessions with the id of the application. Users still need their password.`,
  passwordReset: t`Users may request a link by mail.`,
  strictCredentialChanges: t`Legacy clients need the password or a recent sign-in to change email address, phone or login.`,
  emailSignIn: t`Users receive a code of six digits, which replaces the password.`,
  verifyEmails: t`New users, and users with a new address, are sent a code and a link.`,
  verifiedEmailRequired: t`Users send messages and create records only after their address is verified.`,
  deviceMails: t`Users with a verified address are sent a mail when they sign in on a new device.`,
  maxSessionMinutes: t`Minutes after the sign-in, also while the session is used; empty: no limit`,
  guestDays: t`Days without a request after which guests are deleted; empty: no guests`,
  secondFactors: t`Users may protect their account by an authenticator app or a passkey.`,
  secondFactorRoles: t`Users with these roles can do nothing else until they have one.`,
  passkeyOrigins: t`Addresses such as https://app.example.com; the passkeys belong to the domain of the first. Empty: no passkeys.`,
  strictPasswords: t`New passwords have at least 10 characters, and no common ones are accepted.`,
  dialogCreators: t`Empty: all users may create dialogs.`,
  usersList: t`Sessions may list and search all users.`,
  chatPushes: t`Offline occupants receive pushes.`,
  phoneRegion: t`ISO code, for example GB`,
  answerAssist: t`Assistants may propose answers.`,
  summarize: t`Assistants may summarize dialogs.`,
  translate: t`Assistants may translate texts.`,
  gateway: t`Clients may send conversations to assistants.`,
};

export const CHOICES: OfSettings<Record<string, string>> = {
  signatureHash: { SHA1: t`SHA-1 (legacy clients)`, SHA256: t`SHA-256` },
  emailSignIn: {
    OFF: t`Off`,
    USERS: t`Users with the address`,
    SIGN_UP: t`Users with the address; other addresses sign up`,
  },
  groups: { GRANTED: t`Tags set by API keys`, SELF: t`All tags, also those that users set themselves` },
  filesByNumber: { OWNER: t`Only their owner`, SESSION: t`Every session` },
  phoneMatching: { IDENTICAL: t`Identical text`, E164: t`Same number in any notation` },
};

/** The least value of each number. */
export const NUMBERS: OfSettings<number> = {
  sessionMinutes: 1,
  maxSessionMinutes: 1,
  guestDays: 1,
  aiDailyTokens: 0,
};

export const LENGTHS: OfSettings<number> = { name: 255, appUrl: 2000, phoneRegion: 2 };
