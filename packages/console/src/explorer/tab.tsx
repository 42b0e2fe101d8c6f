import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, CopyButton, Group, Popover, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlayerPlayFilled, IconPlayerStopFilled } from '@tabler/icons-react';
import { type GraphQLSchema, print } from 'graphql';
import { useMemo, useState } from 'react';
import { submitting } from '../ui/form.tsx';
import { type Caller, curlOf, typeScriptOf } from '../ui/samples.ts';
import { Copyable } from '../ui/values.tsx';
import { CodeEditor } from './code-editor.tsx';
import { type Draft, linkTo } from './drafts.ts';
import { titleOf } from './reference.tsx';
import type { Sender } from './requests.ts';
import { EventList, ResponseView } from './response-view.tsx';
import { useRuns } from './use-runs.ts';
import { documentIn, type Mistake, mistakesIn, operationsIn, textOf, valuesIn, variablesOf } from './variables.ts';
import { VariablesForm } from './variables-form.tsx';

interface TabProps {
  draft: Draft;
  /** A hidden tab continues to receive events. */
  isShown: boolean;
  schema: GraphQLSchema | null;
  headers: Record<string, string>;
  send: Sender;
  caller: Caller;
  onChange: (texts: Partial<Draft>) => void;
  onSave: (name: string) => void;
  onRun: () => void;
}

/** One document with its variables and its last response. */
export function Tab({ draft, isShown, schema, headers, send, caller, onChange, onSave, onRun }: TabProps) {
  const { query, variables: text } = draft;
  const runs = useRuns(send, headers);
  const document = useMemo(() => documentIn(query), [query]);
  const operations = operationsIn(document);
  const names = operations.flatMap(({ name }) => (name ? [name.value] : []));
  const [chosen, setChosen] = useState<string | null>(null);
  const operation = operations.find(({ name }) => name?.value === chosen) ?? operations[0];
  const [form, setForm] = useState<'form' | 'json'>('form');
  const [result, setResult] = useState<'response' | 'request'>('response');
  const variables = useMemo(() => variablesOf(operation, schema), [operation, schema]);
  const values = valuesOf(text);
  const mistakes = values && schema && operation ? mistakesIn(values, variables) : [];
  if (!isShown) return null;

  const kind = operation?.operation ?? 'query';
  const request = { query, variables: values ?? {}, operationName: operation?.name?.value };
  const run = () => {
    // Without a document, the service says where the mistake is.
    if (!values) return setForm('json');
    onRun();
    setResult('response');
    runs.start(request, kind === 'subscription');
  };
  return (
    <>
      <section className="explorer-request" aria-label={t`Request`}>
        <Group gap={6} px="sm" py={6} className="explorer-bar">
          {runs.isRunning ? (
            <Button size="compact-sm" color="red" leftSection={<IconPlayerStopFilled size={14} />} onClick={runs.stop}>
              <Trans>Stop</Trans>
            </Button>
          ) : (
            <Button
              size="compact-sm"
              leftSection={<IconPlayerPlayFilled size={14} />}
              onClick={run}
              disabled={query.trim() === ''}
              title={t`Ctrl Enter`}
            >
              <Trans>Run</Trans>
            </Button>
          )}
          {names.length > 1 && (
            <Select
              size="xs"
              w={150}
              aria-label={t`Operation to run`}
              data={[...new Set(names)]}
              value={operation?.name?.value ?? null}
              onChange={setChosen}
              allowDeselect={false}
            />
          )}
          <Group gap={6} ml="auto">
            <Button
              size="compact-xs"
              variant="default"
              disabled={!document}
              title={t`Removes comments`}
              onClick={() => document && onChange({ query: `${print(document)}\n` })}
            >
              <Trans>Format</Trans>
            </Button>
            <CopyButton value={linkTo(draft)}>
              {({ copied, copy }) => (
                <Button size="compact-xs" variant="default" onClick={copy}>
                  {copied ? t`Copied` : t`Copy link`}
                </Button>
              )}
            </CopyButton>
            <SaveButton name={titleOf(query)} onSave={onSave} />
          </Group>
        </Group>
        <CodeEditor
          label={t`Operation`}
          language="graphql"
          value={query}
          schema={schema}
          onChange={(changed) => onChange({ query: changed })}
          onRun={run}
        />
        <div className="explorer-variables">
          <Group gap="xs" px="sm" py={6} className="explorer-bar">
            <Text size="sm" fw={600}>{t`Variables`}</Text>
            <SegmentedControl
              size="xs"
              ml="auto"
              value={form}
              onChange={(value) => setForm(value as typeof form)}
              data={[
                { value: 'form', label: t`Form` },
                { value: 'json', label: 'JSON' },
              ]}
            />
          </Group>
          {mistakes.length > 0 && <Mistakes of={mistakes} />}
          {form === 'json' ? (
            <CodeEditor
              label={t`Variables`}
              language="json"
              value={text}
              onChange={(changed) => onChange({ variables: changed })}
              onRun={run}
            />
          ) : (
            <div className="explorer-scroll explorer-form">
              {values ? (
                <VariablesForm
                  variables={withDescriptions(variables, operation, schema)}
                  values={values}
                  onChange={(changed) => onChange({ variables: textOf(changed) })}
                />
              ) : (
                <Text size="sm" c="var(--bad)">
                  <Trans>The variables are not a JSON object. Correct them in the tab JSON.</Trans>
                </Text>
              )}
            </div>
          )}
        </div>
      </section>
      <section className="explorer-response" aria-label={t`Response`}>
        <Group gap="xs" px="sm" py={6} className="explorer-bar">
          <SegmentedControl
            size="xs"
            value={result}
            onChange={(value) => setResult(value as typeof result)}
            data={[
              { value: 'response', label: t`Response` },
              { value: 'request', label: t`Code` },
            ]}
          />
        </Group>
        {result === 'request' ? (
          <Stack p="sm" gap="sm" className="explorer-scroll">
            <Copyable label="curl" value={curlOf(request, caller, kind === 'subscription')} />
            <Copyable label="TypeScript" value={typeScriptOf(request, caller, kind)} />
          </Stack>
        ) : runs.events ? (
          <EventList events={runs.events} />
        ) : (
          <ResponseView answer={runs.answer} failure={runs.failure} isRunning={runs.isRunning} />
        )}
      </section>
    </>
  );
}

function valuesOf(text: string): Record<string, unknown> | undefined {
  try {
    return valuesIn(text);
  } catch {
    return undefined;
  }
}

/** A variable is described like the argument of the same name. */
function withDescriptions(
  variables: ReturnType<typeof variablesOf>,
  operation: ReturnType<typeof operationsIn>[number] | undefined,
  schema: GraphQLSchema | null,
) {
  const [field] = operation?.selectionSet.selections ?? [];
  const root = operation && schema?.getRootType(operation.operation);
  const args = field?.kind === 'Field' ? (root?.getFields()[field.name.value]?.args ?? []) : [];
  return variables.map((variable) => ({
    ...variable,
    description: args.find(({ name }) => name === variable.name)?.description ?? undefined,
  }));
}

function Mistakes({ of: mistakes }: { of: Mistake[] }) {
  const sentences = mistakes.map(({ path, kind, message }) =>
    kind === 'missing'
      ? t`${path} is required.`
      : kind === 'unknown'
        ? t`The operation has no variable ${path}.`
        : `${path}: ${message}`,
  );
  return (
    <Text size="xs" px="sm" py={4} c="var(--bad)" role="status" className="explorer-mistakes">
      {sentences.join(' ')}
    </Text>
  );
}

function SaveButton({ name, onSave }: { name: string; onSave: (name: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState<string>();
  const save = () => {
    onSave((typed ?? name).trim());
    setTyped(undefined);
    setOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus position="bottom-end">
      <Popover.Target>
        <Button size="compact-xs" variant="default" onClick={() => setOpen(!isOpen)}>{t`Save`}</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submitting(save)}>
          <Group gap="xs" align="flex-end">
            <TextInput
              size="xs"
              label={t`Save as`}
              required
              maxLength={100}
              value={typed ?? name}
              onChange={(event) => setTyped(event.currentTarget.value)}
              data-autofocus
            />
            <Button size="xs" type="submit">{t`Save`}</Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
