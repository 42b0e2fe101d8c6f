import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Select, SimpleGrid, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { query, SERVICE, type Target } from '../app/clients.ts';
import { forward, PAGE_SIZE } from '../app/paging.ts';
import { useListPolling } from '../app/polling.ts';
import { useTypedFilter } from '../app/typing.ts';
import { CodeText } from '../ui/code-text.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { type Column, Rows } from '../ui/rows.tsx';
import { Time } from '../ui/values.tsx';
import { ACTIONS, ACTORS, ENTRIES, type Entry, EntryDialog, fieldsOf, titleOf } from './audit-entry.tsx';

const PEOPLE = graphql(`query ConsoleAuditPeople { administrators { id name } }`);
const KEYS = graphql(`query ConsoleAuditKeys { apiKeys { id name } }`);

const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

type Filters = Partial<Record<'actor' | 'action' | 'subject' | 'id' | 'entry', string>>;

const from = '/shell/apps/$application/audit';

export function AuditPage() {
  const { application } = useParams({ from });
  const filters = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/audit' });
  return (
    <Page title={t`Audit log`} description={t`Changes by administrators, API keys and the operator, newest first.`}>
      <Audit
        target={{ application }}
        filters={filters}
        onFilter={(change) => void navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      />
    </Page>
  );
}

export function AdministratorsAuditPage() {
  const filters = useSearch({ from: '/shell/administrators/audit' });
  const navigate = useNavigate({ from: '/administrators/audit' });
  return (
    <Page
      title={t`Audit log of administrators`}
      description={t`Changes of administrators and their roles, sign-ins and links, newest first.`}
    >
      <Audit
        target={SERVICE}
        filters={filters}
        onFilter={(change) => void navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      />
    </Page>
  );
}

interface AuditProps {
  target: Target;
  /** From the address, and therefore untrusted. */
  filters: Filters;
  onFilter: (change: Filters) => void;
}

function Audit({ target, filters, onFilter }: AuditProps) {
  const { actor, action, subject, id } = filters;
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Select
          label={t`By`}
          placeholder={t`All`}
          data={optionsOf(ACTORS)}
          value={actor ?? null}
          onChange={(value) => onFilter({ actor: value ?? undefined })}
          clearable
        />
        <Select
          label={t`Action`}
          placeholder={t`All`}
          data={optionsOf(ACTIONS)}
          value={action ?? null}
          onChange={(value) => onFilter({ action: value ?? undefined })}
          clearable
        />
        <TypedFilter
          label={t`Type`}
          placeholder={t`User`}
          value={subject}
          onChange={(value) => onFilter({ subject: value })}
        />
        <TypedFilter
          label={t`Id`}
          placeholder={subject ? t`All` : t`Needs a type`}
          value={id}
          onChange={(value) => onFilter({ id: value })}
        />
      </SimpleGrid>
      <AuditEntries target={target} filters={filters} onEntry={(entry) => onFilter({ entry })} />
    </>
  );
}

interface AuditEntriesProps extends Pick<AuditProps, 'target' | 'filters'> {
  /** Opens the entry `filters.entry`, or closes it. */
  onEntry: (id: string | undefined) => void;
}

/** The entries that match, newest first. */
export function AuditEntries({ target, filters, onEntry }: AuditEntriesProps) {
  const { actor, action, subject, id, entry } = filters;
  const entries = useInfiniteQuery({
    ...forward,
    refetchInterval: useListPolling(15_000),
    queryKey: [target.application, 'audit', actor, action, subject, id],
    queryFn: async ({ pageParam, signal }) => {
      const filter = {
        ...(isIn(ACTORS, actor) && { actorKind: actor }),
        ...(isIn(ACTIONS, action) && { action }),
        ...(subject && { subject }),
        ...(subject && id && { subjectId: id }),
      };
      return (await query(target, ENTRIES, { filter, first: PAGE_SIZE, after: pageParam }, signal)).auditEntries;
    },
  });
  const nameOf = useActorNames(target);
  return (
    <>
      <Rows
        label={t`Audit log`}
        of={entries}
        columns={columnsOf(nameOf, onEntry)}
        keyOf={(row) => row.id}
        empty={
          <Empty title={t`No entries`}>
            <Trans>
              Changes by administrators, API keys and the operator appear here. Changes that users make themselves are
              not recorded.
            </Trans>
          </Empty>
        }
      />
      <EntryDialog target={target} id={entry} nameOf={nameOf} onClose={() => onEntry(undefined)} />
    </>
  );
}

function isIn<Names extends object>(names: Names, text: string | undefined): text is Extract<keyof Names, string> {
  return text !== undefined && Object.hasOwn(names, text);
}

interface TypedFilterProps {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function TypedFilter({ label, placeholder, value, onChange }: TypedFilterProps) {
  const [text, setText] = useState(value ?? '');
  const apply = useTypedFilter((next: string) => onChange(next || undefined));
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        apply(currentTarget.value.trim());
      }}
    />
  );
}

/** Names of administrators and API keys that still exist. */
function useActorNames(target: Target): (entry: Entry) => string {
  const { data: people } = useQuery({
    queryKey: ['audit-people'],
    queryFn: async ({ signal }) => (await query(SERVICE, PEOPLE, {}, signal)).administrators,
    staleTime: 60_000,
  });
  const { data: keys } = useQuery({
    queryKey: [target.application, 'audit-keys'],
    queryFn: async ({ signal }) => (await query(target, KEYS, {}, signal)).apiKeys,
    enabled: target.application !== 'none',
    staleTime: 60_000,
  });
  return ({ actorKind, actorId }) => {
    if (actorKind === 'OPERATOR') return t`Operator`;
    const known = (actorKind === 'API_KEY' ? keys : people)?.find(({ id }) => id === actorId)?.name;
    if (known && actorKind === 'ADMINISTRATOR') return known;
    const number = `${ACTORS[actorKind]} ${actorId}`;
    return known ? `${known} (${number})` : number;
  };
}

const columnsOf = (nameOf: (entry: Entry) => string, show: (id: string) => void): Column<Entry>[] => [
  {
    name: t`Change`,
    width: 'minmax(0, 2fr)',
    render: (entry) => (
      <>
        <UnstyledButton className="row-link" onClick={() => show(entry.id)}>
          {titleOf(entry)}
        </UnstyledButton>
        <Text size="xs" c="dimmed" truncate>
          {fieldsOf(entry).join(', ') || <CodeText text={entry.description ?? entry.reason ?? ''} />}
        </Text>
      </>
    ),
  },
  {
    name: t`By`,
    width: 'minmax(0, 1fr)',
    render: (entry) => (
      <>
        <Text size="sm" truncate>
          {nameOf(entry)}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {entry.reason ?? entry.network}
        </Text>
      </>
    ),
  },
  { name: t`Time`, width: '12rem', isMinor: true, render: ({ at }) => <Time isExact of={at} /> },
];
