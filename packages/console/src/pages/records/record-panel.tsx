import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Drawer, JsonInput, Stack, Tabs, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate, query } from '../../app/clients.ts';
import { Footer, Problem } from '../../ui/form.tsx';
import { shortened } from '../../ui/grid-row.tsx';
import { membersOf } from '../../ui/json.ts';
import { Empty, Loaded } from '../../ui/page.tsx';
import { AuditEntries } from '../audit.tsx';
import { RECORD, type RecordClass, recordOf, UPDATE_RECORD } from './documents.ts';
import { RecordAccess } from './record-access.tsx';
import { RecordForm } from './record-form.tsx';
import { recordRequests } from './requests.ts';
import { Requests } from './requests-view.tsx';
import type { View } from './view.ts';

const TABS = {
  fields: t`Fields`,
  json: t`JSON`,
  permissions: t`Permissions`,
  history: t`History`,
  requests: t`Requests`,
};

interface RecordPanelProps {
  view: View;
  definition: RecordClass;
  /** From the address; undefined if no record is open. */
  id: string | undefined;
  tab: string | undefined;
  onTab: (tab: string | undefined) => void;
  onClose: () => void;
  onChanged: () => void;
}

export type OpenedRecord = NonNullable<Awaited<ReturnType<typeof fetchRecord>>>;

/** All about one record, beside the grid. */
export function RecordPanel({ view, definition, id, tab = 'fields', onTab, onClose, onChanged }: RecordPanelProps) {
  const [entry, setEntry] = useState<string>();
  const record = useQuery({
    queryKey: [view.application, 'record', view.className, view.onBehalfOf ?? null, id],
    queryFn: ({ signal }) => fetchRecord(view, id!, signal),
    enabled: id !== undefined,
  });
  const done = () => {
    void record.refetch();
    onChanged();
  };
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      title={
        <>
          {record.data && titleOf(record.data, definition)}
          <Text size="sm" c="dimmed">
            {view.className} · {id}
          </Text>
        </>
      }
      position="right"
      size="lg"
    >
      <Loaded of={record}>
        {(loaded) =>
          loaded ? (
            <Tabs
              value={tab in TABS ? tab : 'fields'}
              onChange={(next) => onTab(next ?? undefined)}
              keepMounted={false}
            >
              <Tabs.List mb="md">
                {Object.entries(TABS).map(([value, name]) => (
                  <Tabs.Tab key={value} value={value}>
                    {name}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              <Tabs.Panel value="fields">
                <RecordForm
                  key={loaded.updatedAt}
                  view={view}
                  definition={definition}
                  record={loaded}
                  onDone={done}
                  onDeleted={() => {
                    onClose();
                    onChanged();
                  }}
                />
              </Tabs.Panel>
              <Tabs.Panel value="json">
                <RecordJson key={loaded.updatedAt} view={view} record={loaded} onDone={done} />
              </Tabs.Panel>
              <Tabs.Panel value="permissions">
                <RecordAccess
                  key={loaded.updatedAt}
                  view={view}
                  definition={definition}
                  record={loaded}
                  onDone={done}
                />
              </Tabs.Panel>
              <Tabs.Panel value="history">
                <AuditEntries target={view} filters={{ subject: 'Record', id: loaded.id, entry }} onEntry={setEntry} />
              </Tabs.Panel>
              <Tabs.Panel value="requests">
                <Requests of={recordRequests(definition, loaded)} />
              </Tabs.Panel>
            </Tabs>
          ) : (
            <Empty title={t`There is no such record`}>
              <Trans>It may have been deleted, or the selected user may not read it.</Trans>
            </Empty>
          )
        }
      </Loaded>
    </Drawer>
  );
}

const TITLES = ['title', 'name', 'label'];

/** The text by which people know a record: that of a title, or the first. */
function titleOf({ fields }: OpenedRecord, definition: RecordClass): string | undefined {
  const texts = definition.fields.filter(({ type, array }) => type === 'STRING' && !array);
  const named = texts.toSorted((one, other) => rankOf(one.name) - rankOf(other.name));
  const [title] = named.flatMap(({ name }) => fields?.[name] || []);
  return title === undefined ? undefined : shortened(String(title));
}

function rankOf(name: string): number {
  const rank = TITLES.indexOf(name.toLowerCase());
  return rank === -1 ? TITLES.length : rank;
}

async function fetchRecord({ application, className, onBehalfOf }: View, id: string, signal: AbortSignal) {
  const { recordsById } = await query({ application, onBehalfOf }, RECORD, { className, id }, signal);
  const [found] = recordsById.records;
  return found ? recordOf(found) : null;
}

interface RecordJsonProps {
  view: View;
  record: OpenedRecord;
  onDone: () => void;
}

/** All values at once, without files. */
function RecordJson({ view, record, onDone }: RecordJsonProps) {
  const [text, setText] = useState(() => JSON.stringify(record.fields, null, 2));
  const save = useMutation({
    meta: { showsErrors: true },
    mutationFn: async () => {
      const { application, className, onBehalfOf } = view;
      const fields = changedMembers(JSON.parse(text), record.fields ?? {});
      await mutate({ application, onBehalfOf }, UPDATE_RECORD, { className, id: record.id, input: { fields } });
    },
    onSuccess: onDone,
  });
  return (
    <Stack>
      <JsonInput
        label={t`Values`}
        description={t`Fields that you remove are kept; null removes a value.`}
        value={text}
        onChange={setText}
        validationError={t`This is not JSON.`}
        formatOnBlur
        autosize
        minRows={8}
        maxRows={28}
      />
      <Problem of={save.error} />
      <Footer>
        <Button onClick={() => save.mutate()} loading={save.isPending}>{t`Save`}</Button>
      </Footer>
    </Stack>
  );
}

function changedMembers(after: unknown, before: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(membersOf(after)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}
