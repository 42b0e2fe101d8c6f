/** Numbers of the legacy record. */
export const DIALOG_TYPE = {
  /** Open to every user of the application; has no marks and no counters. */
  PUBLIC_GROUP: 1,
  GROUP: 2,
  /** Two users; unique per pair. */
  PRIVATE: 3,
} as const;

export type DialogType = (typeof DIALOG_TYPE)[keyof typeof DIALOG_TYPE];
