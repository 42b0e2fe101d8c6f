import { t } from '@lingui/core/macro';
import type { MantineColorScheme } from '@mantine/core';
import {
  IconArchive,
  IconBell,
  IconClock,
  IconKey,
  IconLogout,
  IconMoon,
  IconPlus,
  IconRefresh,
  IconShieldCheck,
  IconSun,
  IconUserPlus,
  IconUserShield,
} from '@tabler/icons-react';
import { hasRole, type Me, ownsAll, type Role } from '../administrator.ts';
import { groupsOf, type Place, servicePlaces } from '../navigation.ts';
import { recentPlaces } from '../recent.ts';

export interface Entry {
  group: string;
  name: string;
  icon: Place['icon'];
  detail?: string | undefined;
  /** An address in the console, or an action. */
  open: string | (() => void);
}

interface Application {
  id: number;
  name: string;
}

export interface Commands {
  setScheme: (scheme: MantineColorScheme) => void;
  signOut: () => void;
}

const FORMS: readonly (Omit<Place, 'address'> & { path: string; roles: readonly Role[] })[] = [
  { name: t`Create user`, icon: IconUserPlus, path: 'users?create=1', roles: ['SUPPORT'] },
  { name: t`Create class`, icon: IconPlus, path: 'data?define=1', roles: ['DEVELOPER'] },
  { name: t`Create push`, icon: IconBell, path: 'pushes?create=1', roles: ['DEVELOPER', 'SUPPORT'] },
  { name: t`Create API key`, icon: IconKey, path: 'keys?create=1', roles: ['DEVELOPER'] },
  { name: t`Rotate auth secret`, icon: IconRefresh, path: 'settings#secrets', roles: [] },
  { name: t`Export`, icon: IconArchive, path: 'backups?start=export', roles: [] },
  { name: t`Start check`, icon: IconShieldCheck, path: 'backups?start=check', roles: [] },
];

/** Everything that needs no request: places that were open before this one, pages and actions, those of the chosen application first. */
export function entriesOf(
  me: Me,
  applications: readonly Application[],
  chosen: number | undefined,
  { setScheme, signOut }: Commands,
): Entry[] {
  const ofChosenFirst = applications.toSorted((a, b) => Number(b.id === chosen) - Number(a.id === chosen));
  const actions = t`Actions`;
  return [
    ...recentPlaces
      .list()
      .slice(1)
      .map(({ name, address }) => ({ group: t`Recent`, name, icon: IconClock, open: address })),
    ...ofChosenFirst.flatMap((application) => pagesOf(me, application)),
    ...servicePlaces(me).map(({ address, ...place }) => ({ ...place, group: t`Pages`, open: address })),
    { group: t`Pages`, name: t`Profile and security`, icon: IconUserShield, open: '/profile' },
    ...FORMS.filter(({ roles }) => chosen !== undefined && hasRole(me, roles, chosen)).map(
      ({ name, icon, path }): Entry => ({ group: actions, name, icon, open: `/apps/${chosen}/${path}` }),
    ),
    ...(ownsAll(me) ? [{ group: actions, name: t`Create application`, icon: IconPlus, open: '/?create=1' }] : []),
    { group: actions, name: t`Switch to dark`, icon: IconMoon, open: () => setScheme('dark') },
    { group: actions, name: t`Switch to light`, icon: IconSun, open: () => setScheme('light') },
    { group: actions, name: t`Sign out`, icon: IconLogout, open: signOut },
  ];
}

function pagesOf(me: Me, { id, name: application }: Application): Entry[] {
  return groupsOf(me, id)
    .flatMap(({ sections }) => sections)
    .map(({ path, name, icon }) => ({
      group: t`Pages`,
      name,
      icon,
      detail: application,
      open: `/apps/${id}/${path}`,
    }));
}

/** Whether name and detail contain all words. */
export function isMatch({ name, detail = '' }: Entry, text: string): boolean {
  const lower = `${detail} ${name}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
