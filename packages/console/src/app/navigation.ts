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
  { path: 'logs', name: 'Logs', roles: ['DEVELOPER'] },
  { path: 'keys', name: 'API keys', roles: ['DEVELOPER'] },
  { path: 'integrations', name: 'Sign-in, mail and models', roles: ['DEVELOPER'] },
  { path: 'explorer', name: 'GraphQL', roles: ['DEVELOPER', 'SUPPORT', 'VIEWER'] },
  { path: 'audit', name: 'Audit log', roles: [] },
  { path: 'backups', name: 'Backups and checks', roles: [] },
  { path: 'settings', name: 'Settings', roles: ['DEVELOPER', 'VIEWER'] },
];
