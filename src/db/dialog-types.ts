/** The kinds of dialogs by their number in the legacy record. */
export const DIALOG_TYPE = {
  /** Every user of the application takes part; nothing is marked or counted. */
  PUBLIC_GROUP: 1,
  GROUP: 2,
  /** Two users; exists once for a pair. */
  PRIVATE: 3,
} as const;

export type DialogType = (typeof DIALOG_TYPE)[keyof typeof DIALOG_TYPE];
