import { t } from '@lingui/core/macro';
import { ActionIcon, SegmentedControl, Text } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { GraphQLSchema } from 'graphql';
import { useEffect, useState } from 'react';
import type { Caller } from '../ui/samples.ts';
import { type Draft, takeLinked, useDrafts } from './drafts.ts';
import './explorer.css';
import { documentOf, firstVariables } from './operations.ts';
import { OperationList, SavedList, titleOf } from './reference.tsx';
import type { Sender } from './requests.ts';
import { Tab } from './tab.tsx';

interface WorkspaceProps {
  schema: GraphQLSchema | null;
  /** Of connections for subscriptions. Another object closes the present ones. */
  headers: Record<string, string>;
  send: Sender;
  /** Who sends the requests that are shown to be copied. */
  caller: Caller;
  /** Shown in the first tab. */
  sample: string;
  /** Where this browser keeps tabs and saved operations. */
  storedAs: string;
}

type Pane = 'list' | 'request' | 'response';

/** The operations of a schema, their requests in tabs, and the responses. Narrow pages show one of the three. */
export function Workspace({ schema, headers, send, caller, sample, storedAs }: WorkspaceProps) {
  const drafts = useDrafts(storedAs, sample);
  const [side, setSide] = useState<'operations' | 'saved'>('operations');
  const [pane, setPane] = useState<Pane>('request');
  const { add } = drafts;
  /** Again in its tab, if there is one that `isSame`. */
  const open = (query: string, variables = '', isSame = (other: Draft) => other.variables === variables) => {
    const known = drafts.drafts.find((other) => other.query === query && isSame(other));
    if (known) drafts.show(known.id);
    else add(query, variables);
    setPane('request');
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is read once
  useEffect(() => {
    const linked = takeLinked();
    if (linked) open(linked.query, linked.variables);
  }, []);
  return (
    <div className="explorer" data-pane={pane}>
      <SegmentedControl
        className="explorer-panes"
        size="xs"
        fullWidth
        value={pane}
        onChange={(value) => setPane(value as Pane)}
        data={[
          { value: 'list', label: t`Operations` },
          { value: 'request', label: t`Request` },
          { value: 'response', label: t`Response` },
        ]}
      />
      <aside className="explorer-side" aria-label={t`Operations`}>
        <SegmentedControl
          size="xs"
          fullWidth
          value={side}
          onChange={(value) => setSide(value as typeof side)}
          data={[
            { value: 'operations', label: t`Operations` },
            { value: 'saved', label: t`Saved` },
          ]}
        />
        <div hidden={side !== 'operations'} className="explorer-scroll">
          {schema ? (
            <OperationList
              schema={schema}
              onOpen={(operation) => open(documentOf(operation, schema), firstVariables(operation), () => true)}
            />
          ) : (
            <Text size="sm" c="dimmed" p="xs">{t`The operations appear when the schema is loaded.`}</Text>
          )}
        </div>
        {side === 'saved' && (
          <div className="explorer-scroll">
            <SavedList
              saved={drafts.saved}
              recent={drafts.recent}
              onOpen={(query, variables) => open(query, variables)}
              onForget={drafts.forget}
            />
          </div>
        )}
      </aside>
      <nav className="explorer-tabs" aria-label={t`Open operations`}>
        <ul>
          {drafts.drafts.map(({ id, query }) => {
            const title = titleOf(query);
            return (
              <li key={id} data-open={id === drafts.draft.id}>
                <button type="button" aria-current={id === drafts.draft.id} onClick={() => drafts.show(id)}>
                  {title}
                </button>
                <ActionIcon
                  size="xs"
                  variant="subtle"
                  color="gray"
                  aria-label={t`Close ${title}`}
                  onClick={() => drafts.close(id)}
                >
                  <IconX size={12} />
                </ActionIcon>
              </li>
            );
          })}
        </ul>
        <ActionIcon size="sm" variant="subtle" color="gray" aria-label={t`New tab`} onClick={() => add('')}>
          <IconPlus size={16} />
        </ActionIcon>
      </nav>
      {drafts.drafts.map((draft) => (
        <Tab
          key={draft.id}
          draft={draft}
          isShown={draft.id === drafts.draft.id}
          onChange={drafts.change}
          onSave={drafts.save}
          onRun={() => {
            drafts.noteRun(draft.query);
            setPane('response');
          }}
          {...{ schema, headers, send, caller }}
        />
      ))}
    </div>
  );
}
