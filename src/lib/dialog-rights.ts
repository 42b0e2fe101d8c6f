import { DIALOG_TYPE, type DialogType } from './dialog-types.ts';

/** What a caller is in a dialog; each is also what stands before it. An API key alone is as good as the owner. */
export type Standing = 'occupant' | 'admin' | 'owner';

/** What can be changed of a dialog. */
export type DialogChange = 'settings' | 'data' | 'occupants' | 'others' | 'admins';

const { PUBLIC_GROUP, GROUP, PRIVATE } = DIALOG_TYPE;

/**
 * Who may change what, at least (gaps §5.3): `settings` are name, photo and whether joining is required, `occupants`
 * adding anybody and removing oneself, `others` removing anybody else.
 */
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

/** Whether messages of others may be deleted for all (gaps §6.2). */
export function mayModerate(type: DialogType, standing: Standing): boolean {
  return type !== PRIVATE && RANK[standing] >= RANK.admin;
}
