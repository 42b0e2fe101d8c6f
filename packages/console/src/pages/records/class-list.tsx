import { t } from '@lingui/core/macro';
import { ActionIcon, Group, NavLink, ScrollArea, Select, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTable } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { textProps } from '../../ui/form.tsx';
import { countQuery } from './view.ts';

/** Counting is not free; further classes have no count. */
const MAX_COUNTED = 30;

interface ClassListProps {
  application: number;
  names: string[];
  /** Of the class that is shown. */
  current: string | undefined;
  /** Undefined if the administrator may not. */
  onCreate: (() => void) | undefined;
}

/** All classes with their number of records, beside the grid; a select on narrow screens. */
export function ClassList({ application, names, current, onCreate }: ClassListProps) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const counts = useCounts(application, names);
  const shown = names.filter((name) => name.toLowerCase().includes(text.trim().toLowerCase()));
  const add = onCreate && (
    <ActionIcon variant="default" size="lg" aria-label={t`Create class`} title={t`Create class`} onClick={onCreate}>
      <IconPlus size={16} />
    </ActionIcon>
  );
  return (
    <>
      <Group className="class-select" gap="xs" wrap="nowrap">
        <Select
          aria-label={t`Class`}
          placeholder={t`Choose a class`}
          data={names}
          value={current ?? null}
          onChange={(name) =>
            name && void navigate({ to: '/apps/$application/data/$class', params: { application, class: name } })
          }
          allowDeselect={false}
          searchable
          flex={1}
        />
        {add}
      </Group>
      <nav className="class-list" aria-label={t`Classes`}>
        <Group gap="xs" wrap="nowrap" mb="xs">
          <TextInput
            size="sm"
            aria-label={t`Find a class`}
            placeholder={t`Find a class`}
            {...textProps(text, setText)}
            flex={1}
          />
          {add}
        </Group>
        <ScrollArea.Autosize mah="calc(100dvh - 14rem)">
          {shown.map((name) => (
            <NavLink
              key={name}
              renderRoot={(props) => (
                <Link {...props} to="/apps/$application/data/$class" params={{ application, class: name }} />
              )}
              label={name}
              active={name === current}
              aria-current={name === current ? 'page' : undefined}
              leftSection={<IconTable size={16} />}
              rightSection={
                <Text size="xs" c="dimmed">
                  {counts.get(name)}
                </Text>
              }
            />
          ))}
          {shown.length === 0 && <Text size="sm" c="dimmed" p="xs">{t`No class has this name.`}</Text>}
        </ScrollArea.Autosize>
      </nav>
    </>
  );
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

function useCounts(application: number, names: readonly string[]): ReadonlyMap<string, string> {
  const counted = names.slice(0, MAX_COUNTED);
  const results = useQueries({
    queries: counted.map((className) => countQuery({ application, className, onBehalfOf: undefined, filter: {} })),
  });
  return new Map(
    counted.flatMap((name, index) => {
      const count = results[index]?.data;
      return count === undefined ? [] : [[name, compact.format(count)] as const];
    }),
  );
}
