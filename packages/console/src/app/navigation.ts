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
  { path: 'overview', name: 'Overview', roles: ['DEVELOPER', 'SUPPORT', 'VIEWER'] },
  { path: 'users', name: 'Users', roles: STAFF },
  { path: 'data', name: 'Data', roles: ['DEVELOPER'] },
  { path: 'dialogs', name: 'Dialogs', roles: ['SUPPORT'] },
  { path: 'files', name: 'Files', roles: STAFF },
  { path: 'pushes', name: 'Pushes', roles: STAFF },
  { path: 'live', name: 'Live', roles: ['SUPPORT'] },
  { path: 'keys', name: 'API keys', roles: ['DEVELOPER'] },
  { path: 'audit', name: 'Audit log', roles: [] },
  { path: 'settings', name: 'Settings', roles: ['DEVELOPER', 'VIEWER'] },
];
