import { t } from '@lingui/core/macro';
import {
  IconApps,
  IconArchive,
  IconBell,
  IconBroadcast,
  IconChartBar,
  IconFile,
  IconHistory,
  IconKey,
  IconListDetails,
  IconMessages,
  IconPlugConnected,
  IconServer,
  IconSettings,
  IconTable,
  IconTerminal2,
  IconUserShield,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react';
import { hasRole, type Me, ownsAll, type Role, STAFF } from './administrator.ts';

interface Section {
  /** Last part of the address `/apps/<id>/…`. */
  path: string;
  name: string;
  icon: typeof IconUsers;
  /** Besides owners. */
  roles: readonly Role[];
}

interface SectionGroup {
  /** Of its heading. */
  name?: string;
  sections: readonly Section[];
}

export interface Place {
  address: string;
  name: string;
  icon: typeof IconUsers;
}

const ALL: readonly Role[] = ['DEVELOPER', 'SUPPORT', 'VIEWER'];

const GROUPS: readonly SectionGroup[] = [
  { sections: [{ path: 'overview', name: t`Overview`, icon: IconChartBar, roles: ALL }] },
  {
    name: t`Build`,
    sections: [
      { path: 'data', name: t`Data`, icon: IconTable, roles: ['DEVELOPER'] },
      { path: 'users', name: t`Users`, icon: IconUsers, roles: STAFF },
      { path: 'roles', name: t`Roles`, icon: IconUserShield, roles: STAFF },
      { path: 'files', name: t`Files`, icon: IconFile, roles: STAFF },
      { path: 'explorer', name: t`GraphQL`, icon: IconTerminal2, roles: ALL },
    ],
  },
  {
    name: t`Engage`,
    sections: [
      { path: 'dialogs', name: t`Dialogs`, icon: IconMessages, roles: ['SUPPORT'] },
      { path: 'pushes', name: t`Pushes`, icon: IconBell, roles: STAFF },
      { path: 'live', name: t`Live`, icon: IconBroadcast, roles: ['SUPPORT'] },
    ],
  },
  {
    name: t`Watch`,
    sections: [
      { path: 'logs', name: t`Logs`, icon: IconListDetails, roles: ['DEVELOPER'] },
      { path: 'audit', name: t`Audit log`, icon: IconHistory, roles: [] },
    ],
  },
  {
    name: t`Configure`,
    sections: [
      { path: 'integrations', name: t`Integrations`, icon: IconPlugConnected, roles: ['DEVELOPER'] },
      { path: 'keys', name: t`API keys`, icon: IconKey, roles: ['DEVELOPER'] },
      { path: 'settings', name: t`Settings`, icon: IconSettings, roles: ['DEVELOPER', 'VIEWER'] },
      { path: 'backups', name: t`Backups and checks`, icon: IconArchive, roles: [] },
    ],
  },
];

/** Groups with the pages that the administrator may use. */
export function groupsOf(me: Me, application: number): SectionGroup[] {
  return GROUPS.map(({ sections, ...group }) => ({
    ...group,
    sections: sections.filter(({ roles }) => hasRole(me, roles, application)),
  })).filter(({ sections }) => sections.length > 0);
}

/** Pages that belong to no application. */
export function servicePlaces(me: Me): Place[] {
  const isOwner = me.roles.some(({ role }) => role === 'OWNER');
  return [
    { address: '/', name: t`Applications`, icon: IconApps },
    ...(isOwner ? [{ address: '/administrators', name: t`Administrators`, icon: IconUsersGroup }] : []),
    ...(ownsAll(me) ? [{ address: '/logs', name: t`Service logs`, icon: IconServer }] : []),
  ];
}

/** The page above another one: `/apps/7/users/5` → `/apps/7/users`. */
export function parentOf(pathname: string): Omit<Place, 'icon'> | undefined {
  if (pathname.startsWith('/administrators/')) return { address: '/administrators', name: t`Administrators` };
  const [, address, path] = /^(\/apps\/\d+\/(\w+))\/./.exec(pathname) ?? [];
  const section = GROUPS.flatMap(({ sections }) => sections).find((one) => one.path === path);
  return section && { address: address!, name: section.name };
}
