import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Button, FileInput, Progress, Select, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { sentenceOf } from '../../app/query-client.ts';
import { Footer, Problem } from '../../ui/form.tsx';
import { Heads } from '../../ui/heads.tsx';
import type { RecordClass } from './documents.ts';
import { csv, save } from './export.ts';
import {
  type Imported,
  importable,
  type Mapping,
  mappingOf,
  type Prepared,
  prepare,
  type Refusal,
  readSource,
  type Source,
  store,
  withColumn,
} from './import.ts';
import type { View } from './view.ts';

const IGNORED = '-';
const SHOWN_REFUSALS = 20;

interface ImportFormProps {
  view: View;
  definition: RecordClass;
  onStored: () => void;
  onClose: () => void;
}

/** File, then fields of its columns and a check of all rows, then the result. */
export function ImportForm({ view, definition, onStored, onClose }: ImportFormProps) {
  const [source, setSource] = useState<Source>();
  const [mapping, setMapping] = useState<Mapping>({});
  const [done, setDone] = useState(0);
  const [problem, setProblem] = useState<string>();
  const prepared = useMemo(() => source && prepare(source, mapping, definition), [source, mapping, definition]);
  const load = useMutation({
    meta: { showsErrors: true },
    mutationFn: async (rows: Prepared) => {
      const { count, refused } = await store(view, rows, setDone);
      return { count, refused: [...rows.refused, ...refused].toSorted((one, other) => one.row - other.row) };
    },
    onSettled: onStored,
  });
  const open = async (file: File | null) => {
    setSource(undefined);
    setProblem(undefined);
    if (!file) return;
    try {
      const read = await readSource(file);
      setMapping(mappingOf(read, definition));
      setSource(read);
    } catch (error) {
      setProblem(sentenceOf(error));
    }
  };
  if (load.data) return <Result of={load.data} source={source!} definition={definition} onClose={onClose} />;
  return (
    <Stack>
      <FileInput
        label={t`File`}
        placeholder={t`Choose a file`}
        description={t`CSV with names of columns in its first row, or JSON with a list of objects.`}
        accept=".json,.csv,application/json,text/csv"
        onChange={(file) => void open(file)}
        error={problem}
        disabled={load.isPending}
      />
      {source && prepared && (
        <>
          <ColumnTable source={source} mapping={mapping} definition={definition} onChange={setMapping} />
          <Text size="sm" role="status">
            <Plural value={prepared.valid.length} one="# row can be imported." other="# rows can be imported." />{' '}
            {prepared.refused.length > 0 && (
              <Plural value={prepared.refused.length} one="# row is left out:" other="# rows are left out:" />
            )}
          </Text>
          <Refusals of={prepared.refused} />
        </>
      )}
      {load.isPending && prepared && (
        <Progress value={(done / prepared.valid.length) * 100} aria-label={t`Progress of the import`} />
      )}
      <Problem of={load.error} />
      <Footer onCancel={onClose}>
        <Button
          onClick={() => prepared && load.mutate(prepared)}
          disabled={!prepared || prepared.valid.length === 0}
          loading={load.isPending}
        >
          {prepared ? (
            <Plural value={prepared.valid.length} one="Import # row" other="Import # rows" />
          ) : (
            <Trans>Import</Trans>
          )}
        </Button>
      </Footer>
    </Stack>
  );
}

interface ColumnTableProps {
  source: Source;
  mapping: Mapping;
  definition: RecordClass;
  onChange: (mapping: Mapping) => void;
}

function ColumnTable({ source, mapping, definition, onChange }: ColumnTableProps) {
  const options = [
    { value: IGNORED, label: t`Leave out` },
    ...importable(definition.fields).map(({ name }) => ({ value: name, label: name })),
  ];
  const [first] = source.rows;
  return (
    <Table.ScrollContainer minWidth={320} mah={280}>
      <Table verticalSpacing={4}>
        <Heads of={[t`Column`, t`First value`, t`Field`]} />
        <Table.Tbody>
          {source.columns.map((column) => (
            <Table.Tr key={column}>
              <Table.Td>{column}</Table.Td>
              <Table.Td>
                <Text size="sm" lineClamp={1}>
                  {first?.[column] === undefined ? '–' : String(first[column])}
                </Text>
              </Table.Td>
              <Table.Td>
                <Select
                  size="xs"
                  aria-label={t`Field of ${column}`}
                  data={options}
                  value={mapping[column] ?? IGNORED}
                  onChange={(value) => onChange(withColumn(mapping, column, value === IGNORED ? null : value))}
                  allowDeselect={false}
                  comboboxProps={{ zIndex: 500 }}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Refusals({ of: refused }: { of: Refusal[] }): ReactNode {
  if (refused.length === 0) return null;
  return (
    <Text size="sm" component="ul" my={0} pl="md">
      {refused.slice(0, SHOWN_REFUSALS).map(({ row, reason }) => (
        <li key={row}>{t`Row ${row}: ${reason}`}</li>
      ))}
      {refused.length > SHOWN_REFUSALS && (
        <li>{plural(refused.length - SHOWN_REFUSALS, { one: 'and # other row', other: 'and # other rows' })}</li>
      )}
    </Text>
  );
}

interface ResultProps {
  of: Imported;
  source: Source;
  definition: RecordClass;
  onClose: () => void;
}

/** Refused rows can be saved, corrected and imported again. */
function Result({ of: { count, refused }, source, definition, onClose }: ResultProps) {
  const download = () => {
    const rows = refused.map(({ row, reason, source: values }) => [
      ...source.columns.map((column) => textOf(values[column])),
      String(row),
      reason,
    ]);
    save(csv([[...source.columns, 'row', 'reason'], ...rows]), `${definition.name}-refused.csv`, 'text/csv');
  };
  return (
    <Stack>
      <Text role="status">
        <Plural value={count} one="# record imported." other="# records imported." />{' '}
        {refused.length > 0 && <Plural value={refused.length} one="# row was refused:" other="# rows were refused:" />}
      </Text>
      <Refusals of={refused} />
      <Footer
        aside={
          refused.length > 0 && <Button variant="default" onClick={download}>{t`Save the refused rows as CSV`}</Button>
        }
      >
        <Button onClick={onClose}>{t`Done`}</Button>
      </Footer>
    </Stack>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
