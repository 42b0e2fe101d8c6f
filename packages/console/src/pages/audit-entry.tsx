import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Code, Modal, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { query, type Target } from '../app/clients.ts';
import { CodeText } from '../ui/code-text.tsx';
import { Heads } from '../ui/heads.tsx';
import { membersOf } from '../ui/json.ts';
import { Empty, Loaded } from '../ui/page.tsx';
import { Time } from '../ui/values.tsx';

export const ENTRIES = graphql(`query ConsoleAudit($filter: AuditFilter, $first: Int!, $after: String) {
  auditEntries(filter: $filter, first: $first, after: $after) {
    edges { node { id at actorKind actorId network reason action subject subjectId description before after } }
    pageInfo { hasNextPage endCursor }
  }
}`);

export type Entry = ResultOf<typeof ENTRIES>['auditEntries']['edges'][number]['node'];

export const ACTORS = { ADMINISTRATOR: t`Administrator`, API_KEY: t`API key`, OPERATOR: t`Operator` } as const;
export const ACTIONS = { CREATE: t`Created`, UPDATE: t`Changed`, DELETE: t`Deleted`, READ: t`Read` } as const;

/** `Read dialog events`, `Changed push settings 3`: names of types and operations are made of words. */
export function titleOf({ action, subject, subjectId }: Entry): string {
  const words = subject.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
  return `${ACTIONS[action]} ${words} ${subjectId}`.trimEnd();
}

interface EntryDialogProps {
  target: Target;
  /** From the address, and therefore untrusted. */
  id: string | undefined;
  nameOf: (entry: Entry) => string;
  onClose: () => void;
}

/** One entry, also of a page of the list that is not loaded. */
export function EntryDialog({ target, id, nameOf, onClose }: EntryDialogProps) {
  const found = useQuery({
    queryKey: [target.application, 'audit-entry', id],
    queryFn: async ({ signal }) => {
      const { auditEntries } = await query(target, ENTRIES, { filter: { id: id! }, first: 1 }, signal);
      return auditEntries.edges[0]?.node ?? null;
    },
    enabled: id !== undefined,
    // Entries never change.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Modal opened={id !== undefined} onClose={onClose} title={t`Change`} size="xl">
      <Loaded of={found}>
        {(entry) =>
          entry ? (
            <Details entry={entry} actor={nameOf(entry)} />
          ) : (
            <Empty title={t`There is no such entry`}>{t`It may belong to another application, or be too old.`}</Empty>
          )
        }
      </Loaded>
    </Modal>
  );
}

export function fieldsOf({ before, after }: Pick<Entry, 'before' | 'after'>): string[] {
  return Object.keys({ ...membersOf(before), ...membersOf(after) });
}

function Details({ entry, actor }: { entry: Entry; actor: string }) {
  const { at, network, reason, action, subject, description, before, after } = entry;
  const fields = fieldsOf(entry);
  const title = titleOf(entry);
  return (
    <Stack>
      <Text>
        {network ? (
          <Trans>
            {title}, <Time isExact of={at} />, by {actor} from {network}
          </Trans>
        ) : (
          <Trans>
            {title}, <Time isExact of={at} />, by {actor}
          </Trans>
        )}
      </Text>
      {action === 'READ' && (
        <Text size="sm" c="dimmed">
          <Code>{subject}</Code> {description && <CodeText text={description} />}
        </Text>
      )}
      {reason && <Text>{t`Reason: ${reason}`}</Text>}
      {fields.length > 0 && (
        <Table.ScrollContainer minWidth={320}>
          <Table verticalSpacing="xs">
            <Heads of={[t`Field`, t`Before`, t`After`]} />
            <Table.Tbody>
              {fields.map((field) => (
                <Table.Tr key={field}>
                  <Table.Td>{field}</Table.Td>
                  <Value of={membersOf(before)[field]} />
                  <Value of={membersOf(after)[field]} />
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}

function Value({ of }: { of: unknown }) {
  const text = typeof of === 'string' ? of : JSON.stringify(of);
  return (
    <Table.Td>
      {text === undefined ? '–' : <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{text}</Code>}
    </Table.Td>
  );
}
