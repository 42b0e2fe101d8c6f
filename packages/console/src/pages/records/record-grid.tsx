import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { hasRole, useMe } from '../../app/administrator.ts';
import { forward, PAGE_SIZE } from '../../app/paging.ts';
import { sentenceOf } from '../../app/query-client.ts';
import { idOf } from '../../app/user-search.ts';
import { Grid } from '../../ui/grid.tsx';
import { Empty } from '../../ui/page.tsx';
import { useOpenInAddress } from '../../ui/use-open-in-address.ts';
import { Bulk } from './bulk.tsx';
import { useChanges } from './changes.ts';
import { useColumns } from './columns.tsx';
import type { DataRecord, Field, RecordClass } from './documents.ts';
import { Filters, readConditions, recordFilter } from './filters.tsx';
import { GridMenus } from './grid-menus.tsx';
import { ImportForm } from './import-form.tsx';
import { IndexAdvice } from './index-advice.tsx';
import { useLayout } from './layout.ts';
import { RecordForm } from './record-form.tsx';
import { RecordPanel } from './record-panel.tsx';
import { listRequests } from './requests.ts';
import { Requests } from './requests-view.tsx';
import { Statistics } from './statistics.tsx';
import { useIndex } from './use-index.ts';
import { useLiveRecords } from './use-live-records.ts';
import { countQuery, fetchRecords, recordsKey, type View } from './view.ts';

const from = '/shell/apps/$application/data/$class';

/** The records of a class as a spreadsheet, with what can be done with them. */
export function RecordGrid({ application, definition }: { application: number; definition: RecordClass }) {
  const search = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/data/$class' });
  const change = (next: Partial<typeof search>) =>
    void navigate({ search: (old) => ({ ...old, ...next }), replace: true });
  const queries = useQueryClient();
  const conditions = readConditions(search.filter);
  const view: View = {
    application,
    className: definition.name,
    onBehalfOf: idOf(search.as),
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
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [filtered, setFiltered] = useState<string>();
  const [counted, setCounted] = useState<Field>();
  const layout = useLayout(application, definition.name);
  const refresh = () => {
    live.clear();
    return queries.invalidateQueries({ queryKey: queryKey.slice(0, 3) });
  };
  const index = useIndex(application);
  const mayDefine = hasRole(useMe(), ['DEVELOPER'], application);
  const onProblem = (error: unknown) =>
    notifications.show({ color: 'red', title: t`Not done`, message: sentenceOf(error) });
  const columns = useColumns({
    application,
    definition,
    layout,
    sort: search.sort,
    change: useChanges(view),
    onSort: (sort) => change({ sort }),
    onFilter: setFiltered,
    onStatistics: setCounted,
    onIndex: mayDefine ? ({ name }, isIndexed) => index.mutate({ definition, fields: [name], isIndexed }) : undefined,
    onProblem,
  });
  const isSelected = ({ id }: DataRecord) => selected.has(id);
  const chosen = records.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)).filter(isSelected) ?? [];
  const [showsTools, tools] = useDisclosure();
  const [isCreating, creation] = useOpenInAddress('create');
  const [isImporting, transfer] = useOpenInAddress('import');
  const [isShowingCode, code] = useOpenInAddress('requests');
  return (
    <Stack gap="sm">
      <Group className="toolbar" justify="space-between" align="flex-end" gap="xs" data-open={showsTools || undefined}>
        <Filters
          application={view.application}
          definition={definition}
          conditions={conditions}
          as={search.as}
          opened={filtered}
          onOpened={setFiltered}
          onChange={change}
        />
        <Group gap={2}>
          <ActionIcon
            className="only-on-phones"
            variant="default"
            size={30}
            aria-label={t`More tools`}
            aria-expanded={showsTools}
            onClick={tools.toggle}
          >
            <IconDots size={16} />
          </ActionIcon>
          <GridMenus
            view={view}
            definition={definition}
            columns={columns.all}
            layout={layout}
            search={{ filter: search.filter, sort: search.sort, as: search.as }}
            onSearch={change}
            onImport={transfer.open}
            onCode={code.open}
          />
          <Button className="toolbar-main" size="xs" leftSection={<IconPlus size={16} />} onClick={creation.open}>
            <Trans>Create record</Trans>
          </Button>
        </Group>
      </Group>
      {mayDefine && view.onBehalfOf === undefined && (view.orderBy !== null || conditions.length > 0) && (
        <IndexAdvice key={JSON.stringify(queryKey)} view={view} definition={definition} />
      )}
      {chosen.length > 0 && (
        <Bulk
          view={view}
          definition={definition}
          records={chosen}
          onClear={() => setSelected(new Set())}
          onDeleted={() => void refresh()}
        />
      )}
      {live.waiting > 0 && (
        <Group gap="sm" role="status">
          <Text size="sm">
            <Plural value={live.waiting} one="# other record changed." other="# other records changed." />
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => void refresh()}>{t`Load again`}</Button>
        </Group>
      )}
      <Grid
        label={t`Records of ${definition.name}`}
        of={records}
        columns={columns.shown}
        keyOf={({ id }) => id}
        selected={selected}
        onSelect={setSelected}
        onOpen={({ id }) => change({ record: id })}
        empty={
          <Empty title={conditions.length > 0 ? t`No record matches` : t`No records yet`}>
            {conditions.length > 0
              ? t`Remove a condition to see more.`
              : t`Create one here, import a file, or use the API.`}
          </Empty>
        }
      />
      <Group justify="space-between" gap="xs">
        <Total view={view} />
        <Text size="xs" c="dimmed" className="not-on-phones">
          <Trans>Enter edits a cell, Space selects its row, Shift Enter opens the record.</Trans>
        </Text>
      </Group>
      <Modal opened={isCreating} onClose={creation.close} title={t`Create record`} closeOnClickOutside={false}>
        <RecordForm
          view={view}
          definition={definition}
          onCancel={creation.close}
          onDone={() => {
            creation.close();
            void refresh();
          }}
        />
      </Modal>
      <Modal
        opened={isImporting}
        onClose={transfer.close}
        title={t`Import records`}
        size="lg"
        closeOnClickOutside={false}
      >
        <ImportForm view={view} definition={definition} onStored={() => void refresh()} onClose={transfer.close} />
      </Modal>
      <Modal opened={isShowingCode} onClose={code.close} title={t`Use these records in code`} size="lg">
        <Requests of={listRequests(definition, conditions, view)} />
      </Modal>
      <Modal
        opened={counted !== undefined}
        onClose={() => setCounted(undefined)}
        title={t`Statistics of ${counted?.name ?? ''}`}
      >
        {counted && <Statistics view={view} field={counted} />}
      </Modal>
      <RecordPanel
        view={view}
        definition={definition}
        id={search.record}
        tab={search.panel}
        onTab={(panel) => change({ panel })}
        onClose={() => change({ record: undefined, panel: undefined })}
        onChanged={() => void refresh()}
      />
    </Stack>
  );
}

/** `-price` sorts by price, largest first. */
function orderOf(sort: string): View['orderBy'] {
  return sort.startsWith('-') ? { field: sort.slice(1), direction: 'DESC' } : { field: sort, direction: 'ASC' };
}

/** Counted after the rows are shown, because it may take longer. As a user, also how many of them there are. */
function Total({ view }: { view: View }) {
  const { onBehalfOf } = view;
  const { data: readable } = useQuery(countQuery(view));
  const { data: all } = useQuery({
    ...countQuery({ ...view, onBehalfOf: undefined }),
    enabled: onBehalfOf !== undefined,
  });
  return (
    <Text size="sm" c="dimmed" role="status">
      {readable !== undefined &&
        (onBehalfOf === undefined ? (
          <Plural value={readable} one="# record" other="# records" />
        ) : (
          all !== undefined && (
            <Trans>
              User {onBehalfOf} may read {readable} of {all}.
            </Trans>
          )
        ))}
    </Text>
  );
}
