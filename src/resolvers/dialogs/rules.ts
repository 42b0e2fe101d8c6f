import { db } from '../../db/client.ts';
import { DIALOG_TYPE, type DialogType } from '../../db/dialog-types.ts';
import { isDangerousScheme, schemeOf } from '../../lib/address-schemes.ts';
import { type Problem, problem } from '../../lib/problems.ts';

/** A standing includes the previous ones. An API key alone counts as the owner. */
export type Standing = 'occupant' | 'admin' | 'owner';

export type DialogChange = 'settings' | 'data' | 'occupants' | 'others' | 'admins';

const { PUBLIC_GROUP, GROUP, PRIVATE } = DIALOG_TYPE;

/** Minimum standing. `occupants` means adding any user or removing oneself, `others` removing other users. */
const RIGHTS: Record<DialogChange, Record<DialogType, Standing | 'nobody'>> = {
  settings: { [PUBLIC_GROUP]: 'owner', [GROUP]: 'occupant', [PRIVATE]: 'nobody' },
  data: { [PUBLIC_GROUP]: 'owner', [GROUP]: 'occupant', [PRIVATE]: 'occupant' },
  occupants: { [PUBLIC_GROUP]: 'owner', [GROUP]: 'occupant', [PRIVATE]: 'nobody' },
  others: { [PUBLIC_GROUP]: 'owner', [GROUP]: 'admin', [PRIVATE]: 'nobody' },
  admins: { [PUBLIC_GROUP]: 'owner', [GROUP]: 'owner', [PRIVATE]: 'nobody' },
};

const RANK = { occupant: 1, admin: 2, owner: 3, nobody: 4 } as const;

export function mayChange(change: DialogChange, type: DialogType, standing: Standing): boolean {
  return RANK[standing] >= RANK[RIGHTS[change][type]];
}

export function mayModerate(type: DialogType, standing: Standing): boolean {
  return type !== PRIVATE && RANK[standing] >= RANK.admin;
}

export const MAX_NAME = 200;

export const MAX_OCCUPANTS = 10_000;

export const tooManyOccupants = problem('TOO_MANY_OCCUPANTS', { max: MAX_OCCUPANTS });

export function nameProblems(name: string | null | undefined): Problem[] {
  if (!name?.trim()) return ['NAME_REQUIRED'];
  return [...name.trimEnd()].length > MAX_NAME ? [problem('NAME_TOO_LONG', { max: MAX_NAME })] : [];
}

/** A photo is an address or any other text, such as the id of a file. */
export function photoProblems(photo: string | null | undefined): Problem[] {
  return isDangerousScheme(schemeOf(photo ?? '') ?? '') ? ['PHOTO_INVALID'] : [];
}

export async function existingUsers(applicationId: number, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db.user.findMany({ where: { applicationId, id: { in: ids } }, select: { id: true } });
  return rows.map((row) => row.id);
}
