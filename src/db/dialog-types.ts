import { Prisma } from './client.ts';

/** Numbers of the legacy record. */
export const DIALOG_TYPE = {
  /** Open to every user of the application; has no marks and no counters. */
  PUBLIC_GROUP: 1,
  GROUP: 2,
  /** Two users; unique per pair. */
  PRIVATE: 3,
} as const;

/** Within SQL. As parameters, the planner would not know how many dialogs they select, nor PostgreSQL their type. */
export const TYPE_IN_SQL = {
  PUBLIC_GROUP: Prisma.raw(String(DIALOG_TYPE.PUBLIC_GROUP)),
  PRIVATE: Prisma.raw(String(DIALOG_TYPE.PRIVATE)),
};

export type DialogType = (typeof DIALOG_TYPE)[keyof typeof DIALOG_TYPE];
