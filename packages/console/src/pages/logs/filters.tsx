import { t } from '@lingui/core/macro';
import { Button, Collapse, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { useTypedFilter } from '../../app/typing.ts';
import { idOf } from '../../app/user-search.ts';
import { CALLERS, TRANSPORTS } from './documents.ts';

/** In the address, and therefore untrusted. */
export type LogSearch = Partial<
  Record<'status' | 'transport' | 'route' | 'caller' | 'user' | 'id' | 'period' | 'request' | 'sort', string>
>;

const STATUSES = [
  { group: t`Classes`, items: ['4xx', '5xx'].map((value) => ({ value, label: t`Errors ${value}` })) },
  { group: t`Duration`, items: [{ value: 'slow', label: t`Slow requests` }] },
  { group: t`Single`, items: ['400', '401', '403', '404', '422', '429', '500', '503'] },
];

const MINUTE = 60_000;
const PERIODS = {
  '15m': { label: t`Last 15 minutes`, milliseconds: 15 * MINUTE },
  '1h': { label: t`Last hour`, milliseconds: 60 * MINUTE },
  '1d': { label: t`Last day`, milliseconds: 24 * 60 * MINUTE },
} as const;

export function filterOf({ status, transport, route, caller, user, id, period }: LogSearch) {
  const userId = idOf(user);
  return {
    ...statusOf(status),
    ...(isIn(TRANSPORTS, transport) && { transport }),
    ...(isIn(CALLERS, caller) && { caller }),
    ...(route && { contains: route.slice(0, 256) }),
    ...(userId !== undefined && { userId }),
    ...(id && { requestId: id }),
    ...(isIn(PERIODS, period) && { from: new Date(Date.now() - PERIODS[period].milliseconds).toISOString() }),
  };
}

function statusOf(status: string | undefined) {
  if (status === 'slow') return { slowOnly: true };
  if (status === '4xx') return { minStatus: 400, maxStatus: 499 };
  if (status === '5xx') return { minStatus: 500 };
  return status && /^\d{3}$/.test(status) ? { minStatus: Number(status), maxStatus: Number(status) } : {};
}

function isIn<Names extends object>(names: Names, text: string | undefined): text is Extract<keyof Names, string> {
  return text !== undefined && Object.hasOwn(names, text);
}

const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** Behind a button, unless the address has them. */
const RARE = ['transport', 'caller', 'user', 'id'] as const;

interface FiltersProps {
  search: LogSearch;
  onChange: (change: LogSearch) => void;
  hasUsers: boolean;
}

export function Filters({ search, onChange, hasUsers }: FiltersProps) {
  const first = useRef<HTMLInputElement>(null);
  const rare = RARE.filter((name) => search[name] !== undefined).length;
  const [isOpen, { toggle }] = useDisclosure(rare > 0);
  useHotkeys([['/', () => first.current?.focus()]]);
  return (
    <div>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <TypedFilter
          label={t`Route or operation`}
          placeholder={t`/users, createUser`}
          value={search.route}
          onChange={(route) => onChange({ route })}
          input={first}
        />
        <Select
          label={t`Status`}
          placeholder={t`All`}
          data={STATUSES}
          value={search.status ?? null}
          onChange={(status) => onChange({ status: status ?? undefined })}
          clearable
        />
        <Select
          label={t`Time`}
          placeholder={t`All that is stored`}
          data={Object.entries(PERIODS).map(([value, { label }]) => ({ value, label }))}
          value={search.period ?? null}
          onChange={(period) => onChange({ period: period ?? undefined })}
          clearable
        />
        <Group align="flex-end">
          <Button variant="default" onClick={toggle} aria-expanded={isOpen}>
            {rare > 0 ? t`More filters (${rare})` : t`More filters`}
          </Button>
        </Group>
      </SimpleGrid>
      <Collapse expanded={isOpen}>
        <SimpleGrid cols={{ base: 2, sm: 4 }} mt="sm">
          <Select
            label={t`Transport`}
            placeholder={t`All`}
            data={optionsOf(TRANSPORTS)}
            value={search.transport ?? null}
            onChange={(transport) => onChange({ transport: transport ?? undefined })}
            clearable
          />
          <Select
            label={t`Caller`}
            placeholder={t`All`}
            data={optionsOf(CALLERS)}
            value={search.caller ?? null}
            onChange={(caller) => onChange({ caller: caller ?? undefined })}
            clearable
          />
          {hasUsers && (
            <TypedFilter
              label={t`User`}
              placeholder={t`Id`}
              value={search.user}
              onChange={(user) => onChange({ user })}
            />
          )}
          <TypedFilter
            label={t`Request id`}
            placeholder={t`X-Request-Id`}
            value={search.id}
            onChange={(id) => onChange({ id })}
          />
        </SimpleGrid>
      </Collapse>
    </div>
  );
}

interface TypedFilterProps {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  input?: React.Ref<HTMLInputElement>;
}

function TypedFilter({ label, placeholder, value, onChange, input }: TypedFilterProps) {
  const [text, setText] = useState(value ?? '');
  const apply = useTypedFilter((next: string) => onChange(next || undefined));
  return (
    <TextInput
      ref={input}
      label={label}
      placeholder={placeholder}
      value={text}
      maxLength={256}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        apply(currentTarget.value.trim());
      }}
    />
  );
}
