import { t } from '@lingui/core/macro';
import { Modal, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { applicationsQuery, useMe } from '../administrator.ts';
import { openAddress } from '../recent.ts';
import { useChosenApplication } from '../sidebar.tsx';
import { useSignOut } from '../sign-out.ts';
import { type Entry, entriesOf, isMatch } from './entries.ts';
import './palette.css';

const PAUSE_MS = 200;
/** Single letters match too much. */
const SEARCHED = /^\d|.{2}/;
const MAX_ENTRIES = 25;

/** Opens pages, records and documentation, and runs actions. Keys count that are typed right after Ctrl+K, also before anything is loaded. */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal.Root opened={isOpen} onClose={onClose} size="36rem" transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label={t`Search`} radius="md">
        <Search onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  );
}

function Search({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const queries = useQueryClient();
  const router = useRouter();
  const { entries, local, isPending } = useEntries(text);
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each step
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    if (typeof entry.open === 'string') openAddress(router, entry.open);
    else entry.open();
  };
  const openSelected = async () => {
    if (entries[selected]) return open(entries[selected]);
    await queries.ensureQueryData(applicationsQuery).catch(() => []);
    open(local()[selected]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setSelected((selected + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === 'Enter') void openSelected();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="palette-field">
        <IconSearch size={18} stroke={1.6} aria-hidden="true" />
        <input
          data-autofocus
          // biome-ignore lint/a11y/noAutofocus: the dialog has one field
          autoFocus
          role="combobox"
          aria-label={t`Search`}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries.length > 0 ? `palette-${selected}` : undefined}
          placeholder={t`Pages, users, classes, settings, actions, documentation`}
          value={text}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setSelected(0);
          }}
        />
      </div>
      <div className="palette-list" id="palette-list" role="listbox" aria-label={t`Results`} ref={list}>
        <Groups entries={entries} selected={selected} onSelect={setSelected} onOpen={open} />
      </div>
      {entries.length === 0 && (
        <p className="palette-note" role="status">
          {isPending ? t`Loading…` : t`Nothing has this name.`}
        </p>
      )}
    </>
  );
}

/** Entries that need no request, and what the service finds for the text. */
function useEntries(text: string) {
  const me = useMe();
  const queries = useQueryClient();
  const chosen = useChosenApplication();
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const { isPending } = useQuery(applicationsQuery);
  const [settled] = useDebouncedValue(text.trim(), PAUSE_MS);
  const isSearched = SEARCHED.test(settled);
  const hits = useQuery({
    queryKey: [chosen, 'hits', settled],
    queryFn: async ({ signal }) => {
      const { findHits } = await import('./hits.ts');
      return findHits({ me, application: chosen, text: settled, signal });
    },
    enabled: isSearched,
    placeholderData: keepPreviousData,
  });
  const local = () => {
    const applications = queries.getQueryData(applicationsQuery.queryKey) ?? [];
    const commands = { setScheme: setColorScheme, signOut: () => void signOut() };
    return entriesOf(me, applications, chosen, commands)
      .filter((entry) => isMatch(entry, text))
      .slice(0, MAX_ENTRIES);
  };
  const found = text.trim() !== '' && isSearched ? (hits.data ?? []) : [];
  return { entries: [...local(), ...found], local, isPending: isPending || hits.isFetching };
}

interface GroupsProps {
  entries: readonly Entry[];
  selected: number;
  onSelect: (index: number) => void;
  onOpen: (entry: Entry) => void;
}

function Groups({ entries, selected, onSelect, onOpen }: GroupsProps) {
  const names = [...new Set(entries.map(({ group }) => group))];
  return names.map((group) => (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has form controls
    <div key={group} role="group" aria-label={group}>
      <div aria-hidden="true">{group}</div>
      {entries.map((entry, index) => {
        if (entry.group !== group) return null;
        const { icon: Icon, name, detail } = entry;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys
          <div
            key={typeof entry.open === 'string' ? entry.open : `${name} ${detail}`}
            id={`palette-${index}`}
            className="palette-entry"
            role="option"
            aria-selected={index === selected}
            onMouseMove={() => index !== selected && onSelect(index)}
            onClick={() => onOpen(entry)}
          >
            <Icon size={18} stroke={1.6} aria-hidden="true" />
            <span className="palette-name">{name}</span>
            {detail && <span className="palette-detail">{detail}</span>}
          </div>
        );
      })}
    </div>
  ));
}
