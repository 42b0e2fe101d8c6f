import { t } from '@lingui/core/macro';
import { Modal, NavLink, ScrollArea, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { applicationsQuery, type Me, useMe } from './administrator.ts';
import { groupsOf, servicePlaces } from './navigation.ts';

interface Entry {
  name: string;
  href: string;
}

/** Opens any page by its name. Keys count that are typed right after Ctrl+K, also before the applications are loaded. */
export function CommandPalette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Go to a page`} padding="xs">
      <Entries onClose={onClose} />
    </Modal>
  );
}

function Entries({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const { data: applications = [], isPending } = useQuery(applicationsQuery);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const find = (all: typeof applications) => entriesOf(me, all).filter(({ name }) => isMatch(name, text));
  const found = find(applications);
  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    void navigate({ to: entry.href });
  };
  const openSelected = async () => {
    open(find(await queries.ensureQueryData(applicationsQuery).catch(() => []))[selected]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setSelected((selected + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') void openSelected();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        data-autofocus
        autoFocus
        aria-label={t`Page`}
        placeholder={t`Name of a page`}
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setSelected(0);
        }}
      />
      <ScrollArea.Autosize mah={360} mt="xs">
        {found.length === 0 && (
          <Text p="sm" c="dimmed">
            {isPending ? t`Loading…` : t`No page has this name.`}
          </Text>
        )}
        {found.map((entry, index) => (
          <NavLink
            key={entry.href}
            component="button"
            label={entry.name}
            active={index === selected}
            onClick={() => open(entry)}
          />
        ))}
      </ScrollArea.Autosize>
    </>
  );
}

function entriesOf(me: Me, applications: readonly { id: number; name: string }[]): Entry[] {
  const ofApplications = applications.flatMap(({ id, name: application }) =>
    groupsOf(me, id)
      .flatMap(({ sections }) => sections)
      .map(({ path, name }) => ({ name: `${application}: ${name}`, href: `/apps/${id}/${path}` })),
  );
  return [
    ...servicePlaces(me).map(({ address, name }) => ({ name, href: address })),
    ...ofApplications,
    { name: t`Profile and security`, href: '/profile' },
  ];
}

/** Whether the name contains all words. */
function isMatch(name: string, text: string): boolean {
  const lower = name.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
