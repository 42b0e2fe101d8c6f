import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, FileInput, Group, Menu, Modal, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import Papa from 'papaparse';
import { useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { sentenceOf } from '../../app/query-client.ts';
import { CREATE_RECORDS, type DataRecord, type RecordClass, type Values } from './documents.ts';
import { parseValue, textOf } from './values.ts';
import { fetchRecords, type View } from './view.ts';

/** The maximum of one request. */
const BATCH = 100;

interface TransferProps {
  view: View;
  definition: RecordClass;
  onImported: () => void;
}

/** Export of the records that the grid shows, and import of a file. */
export function Transfer({ view, definition, onImported }: TransferProps) {
  const [isOpen, { open, close }] = useDisclosure();
  const download = useMutation({ mutationFn: (format: Format) => exportRecords(view, definition, format) });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" loading={download.isPending}>
            <Trans>Import and export</Trans>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={open}>
            <Trans>Import a JSON or CSV file</Trans>
          </Menu.Item>
          <Menu.Item onClick={() => download.mutate('json')}>
            <Trans>Export as JSON</Trans>
          </Menu.Item>
          <Menu.Item onClick={() => download.mutate('csv')}>
            <Trans>Export as CSV</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isOpen} onClose={close} title={t`Import records`} closeOnClickOutside={false}>
        <ImportForm
          view={view}
          definition={definition}
          onDone={(count) => {
            close();
            onImported();
            notifications.show({ message: plural(count, { one: '# record imported', other: '# records imported' }) });
          }}
        />
      </Modal>
    </>
  );
}

type Format = 'json' | 'csv';

async function exportRecords(view: View, definition: RecordClass, format: Format): Promise<void> {
  const parts: string[] = [];
  const names = ['id', 'userId', 'createdAt', 'updatedAt', ...definition.fields.map(({ name }) => name)];
  if (format === 'csv') parts.push(`${Papa.unparse([names])}\r\n`);
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof fetchRecords>> = await fetchRecords(view, BATCH, after);
    const rows = page.edges.map(({ node }) => node);
    if (format === 'json') parts.push(rows.map((row) => `${JSON.stringify(flat(row))}\n`).join(''));
    else if (rows.length > 0) parts.push(`${Papa.unparse(rows.map((row) => csvRow(row, definition)))}\r\n`);
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
  const text = format === 'json' ? `[\n${parts.join('').trimEnd().replaceAll('\n', ',\n')}\n]\n` : parts.join('');
  save(text, `${definition.name}.${format}`, format === 'json' ? 'application/json' : 'text/csv');
}

function flat({ id, userId, createdAt, updatedAt, fields }: DataRecord): Values {
  return { id, userId, createdAt, updatedAt, ...fields };
}

/** Text that a spreadsheet would run as a formula gets an apostrophe. */
function csvRow(record: DataRecord, { fields }: RecordClass): string[] {
  const { id, userId, createdAt, updatedAt } = record;
  const texts = fields.map((field) => {
    const text = textOf(record.fields?.[field.name], field);
    return field.type === 'STRING' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  });
  return [id, String(userId ?? ''), String(createdAt), String(updatedAt), ...texts];
}

function save(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

interface ImportFormProps {
  view: View;
  definition: RecordClass;
  onDone: (count: number) => void;
}

function ImportForm({ view, definition, onDone }: ImportFormProps) {
  const [file, setFile] = useState<File | null>(null);
  const [done, setDone] = useState<{ count: number; total: number }>();
  const load = useMutation({
    meta: { showsErrors: true },
    mutationFn: async () => {
      const records = await readFile(file!, definition);
      for (let start = 0; start < records.length; start += BATCH) {
        const batch = records.slice(start, start + BATCH).map((fields) => ({ fields }));
        const { application, className, onBehalfOf } = view;
        await mutate({ application, onBehalfOf }, CREATE_RECORDS, { className, records: batch });
        setDone({ count: start + batch.length, total: records.length });
      }
      return records.length;
    },
    onSuccess: onDone,
  });
  return (
    <Stack>
      <Text size="sm">
        <Trans>
          A JSON list of objects, or a CSV file with field names in its first row. Other columns are ignored. Records
          are created in groups of {BATCH}; a group with an invalid record is not stored, and the import stops there.
        </Trans>
      </Text>
      <FileInput label={t`File`} accept=".json,.csv,application/json,text/csv" value={file} onChange={setFile} />
      {done && <Progress value={(done.count / done.total) * 100} aria-label={t`Progress of the import`} />}
      {load.error && (
        <Alert color="red" role="alert">
          {done && `${t`${done.count} of ${done.total} records were stored.`} `}
          {sentenceOf(load.error)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button onClick={() => load.mutate()} disabled={!file} loading={load.isPending}>
          <Trans>Import</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

async function readFile(file: File, { fields }: RecordClass): Promise<Values[]> {
  const text = await file.text();
  const known = fields.filter(({ type }) => type !== 'FILE');
  if (file.name.toLowerCase().endsWith('.csv')) {
    const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
    return data.map((row, index) => {
      const present = known.filter(({ name }) => row[name] !== undefined && row[name] !== '');
      try {
        return Object.fromEntries(present.map((field) => [field.name, parseValue(row[field.name]!, field)]));
      } catch (error) {
        throw new Error(t`Row ${index + 2}: ${sentenceOf(error)}`);
      }
    });
  }
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows)) throw new Error(t`The file must contain a list of objects.`);
  return rows.map((row: Values) =>
    Object.fromEntries(known.filter(({ name }) => row[name] != null).map(({ name }) => [name, row[name]])),
  );
}
