import { t } from '@lingui/core/macro';
import type { Role } from './administrator.ts';

export interface Section {
  /** Last part of the address `/apps/<id>/…`. */
  path: string;
  name: string;
  /** Besides owners. */
  roles: readonly Role[];
}

const STAFF: readonly Role[] = ['DEVELOPER', 'SUPPORT'];

export const SECTIONS: readonly Section[] = [
  { path: 'overview', name: t`Overview`, roles: ['DEVELOPER', 'SUPPORT', 'VIEWER'] },
  { path: 'users', name: t`Users`, roles: STAFF },
  { path: 'data', name: t`Data`, roles: ['DEVELOPER'] },
  { path: 'dialogs', name: t`Dialogs`, roles: ['SUPPORT'] },
  { path: 'files', name: t`Files`, roles: STAFF },
  { path: 'pushes', name: t`Pushes`, roles: STAFF },
  { path: 'live', name: t`Live`, roles: ['SUPPORT'] },
  { path: 'logs', name: t`Logs`, roles: ['DEVELOPER'] },
  { path: 'keys', name: t`API keys`, roles: ['DEVELOPER'] },
  { path: 'integrations', name: t`Sign-in, mail and models`, roles: ['DEVELOPER'] },
  { path: 'explorer', name: t`GraphQL`, roles: ['DEVELOPER', 'SUPPORT', 'VIEWER'] },
  { path: 'audit', name: t`Audit log`, roles: [] },
  { path: 'backups', name: t`Backups and checks`, roles: [] },
  { path: 'settings', name: t`Settings`, roles: ['DEVELOPER', 'VIEWER'] },
];
