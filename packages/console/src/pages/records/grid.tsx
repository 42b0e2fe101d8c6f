import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { forward, PAGE_SIZE } from '../../app/paging.ts';
import { Empty } from '../../ui/page.tsx';
import { type Column, Rows } from '../../ui/rows.tsx';
import { Time } from '../../ui/values.tsx';
import { Cell } from './cell.tsx';
import type { DataRecord, RecordClass } from './documents.ts';
import { Filters, readConditions, recordFilter } from './filters.tsx';
import { RecordForm } from './record-form.tsx';
import { Transfer } from './transfer.tsx';
import { useLiveRecords } from './use-live-records.ts';
import { fetchRecords, recordsKey, type View } from './view.ts';

const from = '/shell/apps/$application/data/$class';

export function Grid({ application, definition }: { application: number; definition: RecordClass }) {
  const search = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/data/$class' });
  const [isOpen, { open, close }] = useDisclosure();
  const [opened, setOpened] = useState<DataRecord>();
  const queries = useQueryClient();
  const conditions = readConditions(search.filter);
  const view: View = {
    application,
    className: definition.name,
    onBehalfOf: search.as !== undefined && /^\d{1,10}$/.test(search.as) ? Number(search.as) : undefined,
    filter: recordFilter(conditions, definition),
    orderBy: search.sort === undefined ? null : orderOf(search.sort),
  };
  const queryKey = recordsKey(view);
  const records = useInfiniteQuery({
    ...forward,
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchRecords(view, PAGE_SIZE, pageParam, signal),
  });
  const live = useLiveRecords(view);
  const refresh = () => {
    live.clear();
    return queries.invalidateQueries({ queryKey: queryKey.slice(0, 3) });
  };
  const hasConditions = conditions.length > 0;
  return (
    <>
      <Group justify="space-between" align="flex-end" mb="md">
        <Filters
          definition={definition}
          conditions={conditions}
          sort={search.sort}
          as={search.as}
          onChange={(change) => void navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
        />
        <Group gap="xs">
          <Transfer view={view} definition={definition} onImported={refresh} />
          <Button onClick={open}>
            <Trans>Create record</Trans>
          </Button>
        </Group>
      </Group>
      {live.waiting > 0 && (
        <Group gap="sm" mb="sm" role="status">
          <Text size="sm">
            <Plural value={live.waiting} one="# other record changed." other="# other records changed." />
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => void refresh()}>
            <Trans>Load again</Trans>
          </Button>
        </Group>
      )}
      <Rows
        label={t`Records of ${definition.name}`}
        of={records}
        columns={columnsOf(definition, view, setOpened)}
        keyOf={({ id }) => id}
        empty={
          <Empty title={hasConditions ? t`No record matches` : t`No records yet`}>
            {hasConditions ? t`Remove a condition to see more.` : t`Create one here, import a file, or use the API.`}
          </Empty>
        }
      />
      <Modal opened={isOpen} onClose={close} title={t`Create record`} closeOnClickOutside={false}>
        <RecordForm
          view={view}
          definition={definition}
          onDone={() => {
            close();
            void refresh();
          }}
        />
      </Modal>
      <Modal
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={t`Record ${opened?.id ?? ''}`}
        size="lg"
      >
        {opened && (
          <RecordForm
            view={view}
            definition={definition}
            record={opened}
            onDone={() => {
              setOpened(undefined);
              void refresh();
            }}
          />
        )}
      </Modal>
    </>
  );
}

/** `-price` sorts by price, largest first. */
function orderOf(sort: string): View['orderBy'] {
  return sort.startsWith('-') ? { field: sort.slice(1), direction: 'DESC' } : { field: sort, direction: 'ASC' };
}

function columnsOf(definition: RecordClass, view: View, open: (record: DataRecord) => void): Column<DataRecord>[] {
  return [
    {
      name: t`Id`,
      width: '7rem',
      render: (record) => (
        <Anchor component="button" type="button" className="row-link" size="sm" onClick={() => open(record)}>
          …{record.id.slice(-8)}
        </Anchor>
      ),
    },
    ...definition.fields.map(
      (field, index): Column<DataRecord> => ({
        name: field.name,
        width: 'minmax(8rem, 1fr)',
        isMinor: index > 0,
        render: (record) => <Cell record={record} field={field} view={view} />,
      }),
    ),
    {
      name: t`Owner`,
      width: '5rem',
      isMinor: true,
      render: ({ userId }) =>
        userId ? (
          <Link
            to="/apps/$application/users/$user"
            params={{ application: view.application, user: String(userId) }}
            className="row-link"
          >
            {userId}
          </Link>
        ) : (
          '–'
        ),
    },
    { name: t`Changed`, width: '12rem', isMinor: true, render: ({ updatedAt }) => <Time of={updatedAt} /> },
  ];
}
