import { t } from '@lingui/core/macro';

/** Names of the settings of an application, by field. */
export const SETTING_NAMES = {
  name: t`Name`,
  sessionMinutes: t`Session lifetime`,
  aiDailyTokens: t`Model tokens per user and day`,
  signatureHash: t`Signatures of session requests`,
  groups: t`Groups of permissions`,
  filesByNumber: t`Private files by number`,
  phoneMatching: t`Matching of phone numbers`,
  phoneRegion: t`Country of phone numbers without country code`,
  appUrl: t`Address of the app`,
  publicSignIn: t`Sign-in without signatures`,
  usersList: t`Users may list users`,
  passwordReset: t`Password reset by mail`,
  strictCredentialChanges: t`Strict credential changes`,
  chatPushes: t`Pushes for messages`,
  answerAssist: t`Answer assistant`,
  summarize: t`Summaries`,
  translate: t`Translation`,
  gateway: t`Model gateway`,
} as const;
