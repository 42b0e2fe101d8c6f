import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { IconAdjustments, IconBook2, IconFile, IconMessage, IconTable, IconUser } from '@tabler/icons-react';
import { CLASSES } from '../../pages/records/documents.ts';
import { SETTING_NAMES } from '../../pages/setting-names.ts';
import { root } from '../../root.ts';
import { reason } from '../access.ts';
import { hasRole, type Me } from '../administrator.ts';
import { clientOf } from '../clients.ts';
import { nameOf } from '../user-names.ts';
import { userFilterOf } from '../user-search.ts';
import type { Entry } from './entries.ts';

const USERS = graphql(`query ConsoleFindUsers($filter: UserFilter) {
  users(filter: $filter, first: 10) { edges { node { id login email fullName } } }
}`);
const DIALOGS = graphql(`query ConsoleFindDialogs($name: String!) {
  dialogs(filter: { name: { contains: $name }, type: { in: [1, 2] } }, first: 10) { edges { node { id name } } }
}`);
const FILES = graphql(`query ConsoleFindFiles($after: String) {
  blobs(first: 100, after: $after) { edges { node { id name } } pageInfo { hasNextPage endCursor } }
}`);

const MAX_OF_GROUP = 10;
/** Of 100 files each. */
const MAX_FILE_PAGES = 5;

interface Search {
  me: Me;
  /** Undefined if none is chosen: only documentation is found. */
  application: number | undefined;
  text: string;
  signal: AbortSignal;
}

/** What the service finds. A source that fails or that the role excludes finds nothing; none asks for a password or a reason. */
export async function findHits(search: Search): Promise<Entry[]> {
  const { me, application } = search;
  const may = (...roles: Parameters<typeof hasRole>[1]) => application !== undefined && hasRole(me, roles, application);
  const sources: [isAllowed: boolean, find: (search: Required<Search>) => Promise<Entry[]>][] = [
    [may('DEVELOPER', 'SUPPORT'), users],
    [may('DEVELOPER', 'SUPPORT', 'VIEWER'), classes],
    [may('SUPPORT') && reason.current !== undefined, dialogs],
    [may('SUPPORT'), files],
    [may('DEVELOPER', 'VIEWER'), settings],
    [true, documentation],
  ];
  const found = await Promise.all(
    sources.map(([isAllowed, find]) => (isAllowed ? find(search as Required<Search>).catch(() => []) : [])),
  );
  return found.flatMap((entries) => entries.slice(0, MAX_OF_GROUP));
}

async function users({ application, text, signal }: Required<Search>): Promise<Entry[]> {
  const { users } = await clientOf({ application: application! }).query(
    USERS,
    { filter: userFilterOf(text) },
    { signal },
  );
  return users.edges.map(({ node }) => ({
    group: t`Users`,
    name: nameOf(node),
    detail: [node.login, node.email, node.id].filter((one) => one !== null).join(' · '),
    icon: IconUser,
    open: `/apps/${application}/users/${node.id}`,
  }));
}

async function classes({ application, text, signal }: Required<Search>): Promise<Entry[]> {
  const { classes } = await clientOf({ application: application! }).query(CLASSES, {}, { signal });
  return classes
    .filter(({ name }) => isIn(name, text))
    .map(({ name }) => ({
      group: t`Classes`,
      name,
      icon: IconTable,
      open: `/apps/${application}/data/${encodeURIComponent(name)}`,
    }));
}

async function dialogs({ application, text, signal }: Required<Search>): Promise<Entry[]> {
  const { dialogs } = await clientOf({ application: application! }).query(DIALOGS, { name: text }, { signal });
  return dialogs.edges.map(({ node: { id, name } }) => ({
    group: t`Dialogs`,
    name: name ?? id,
    icon: IconMessage,
    open: `/apps/${application}/dialogs/${id}`,
  }));
}

/** Of the newest files, because the service does not search them by name. */
async function files({ application, text, signal }: Required<Search>): Promise<Entry[]> {
  const found: Entry[] = [];
  let after: string | null = null;
  for (let page = 0; page < MAX_FILE_PAGES && found.length < MAX_OF_GROUP; page++) {
    const { blobs }: ResultOf<typeof FILES> = await clientOf({ application: application! }).query(
      FILES,
      { after },
      { signal },
    );
    for (const { node } of blobs.edges) {
      if (!isIn(node.name ?? '', text) && String(node.id) !== text) continue;
      found.push({
        group: t`Files`,
        name: node.name ?? String(node.id),
        detail: String(node.id),
        icon: IconFile,
        open: `/apps/${application}/files?file=${node.id}`,
      });
    }
    if (!blobs.pageInfo.hasNextPage) break;
    after = blobs.pageInfo.endCursor;
  }
  return found;
}

async function settings({ application, text }: Required<Search>): Promise<Entry[]> {
  return Object.entries(SETTING_NAMES)
    .filter(([, name]) => isIn(name, text))
    .map(([field, name]) => ({
      group: t`Settings`,
      name,
      icon: IconAdjustments,
      open: `/apps/${application}/settings#${field}`,
    }));
}

async function documentation({ text, signal }: Search): Promise<Entry[]> {
  const url = new URL('guides', root);
  url.searchParams.set('q', text);
  const response = await fetch(url, { headers: { Accept: 'application/json' }, signal });
  const found: { address: string; title: string; text: string }[] = await response.json();
  return found.map(({ address, title, text: excerpt }) => ({
    group: t`Documentation`,
    name: title,
    detail: excerpt,
    icon: IconBook2,
    open: () => location.assign(new URL(address, root)),
  }));
}

function isIn(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase());
}
