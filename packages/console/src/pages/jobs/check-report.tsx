import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Code, Collapse, Stack, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { mutate } from '../../app/clients.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Heads } from '../../ui/heads.tsx';
import { membersOf } from '../../ui/json.ts';
import { Notice } from '../../ui/notice.tsx';
import { Status } from '../../ui/status.tsx';
import { type Difference, type ShownJob, START_CHECK } from './documents.ts';
import { outcomeOf } from './text.ts';

type Report = NonNullable<ShownJob['check']>;
type Check = Report['checks'][number];

export function CheckReport({ application, check: { checks, differences } }: { application: number; check: Report }) {
  const [isOpen, { toggle }] = useDisclosure();
  const different = checks.filter((one) => one.differences > 0);
  const isRepairable = different.some((one) => one.isRepairable && one.repaired < one.differences);
  return (
    <Stack gap="lg">
      <Notice title={outcomeOf(checks)} isGood={different.length === 0}>
        {different.length === 0
          ? t`Stored counters, indexes and files agree with the data.`
          : t`Below is what differs, and what a repair does about it.`}
      </Notice>
      {isRepairable && <Repair application={application} />}
      {different.map((one) => (
        <Differences key={one.name} check={one} differences={differences.filter(({ check }) => check === one.name)} />
      ))}
      <div>
        <Button variant="subtle" size="xs" onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? t`Hide the checks` : t`Show all checks`}
        </Button>
        <Collapse expanded={isOpen}>{isOpen && <AllChecks checks={checks} />}</Collapse>
      </div>
    </Stack>
  );
}

function Repair({ application }: { application: number }) {
  const navigate = useNavigate();
  const repair = useMutation({
    mutationFn: async () => (await mutate({ application }, START_CHECK, { repair: true })).startCheck.id,
    onSuccess: (job) => navigate({ to: '/apps/$application/backups/$job', params: { application, job } }),
  });
  return (
    <div>
      <ConfirmButton
        label={t`Check and repair`}
        question={t`Check again, correct counters and remove rows that belong to nothing? The audit log records each change.`}
        onConfirm={() => repair.mutate()}
        isLoading={repair.isPending}
      />
    </div>
  );
}

function Differences({ check, differences }: { check: Check; differences: readonly Difference[] }) {
  const { name, description, isRepairable } = check;
  return (
    <Stack component="section" gap="xs" aria-label={name}>
      <Title order={2} size="h4">
        {name} ({check.differences.toLocaleString()})
      </Title>
      <Text size="sm">
        <Trans>
          Expected: {description}{' '}
          {isRepairable
            ? t`A repair corrects it.`
            : t`A repair leaves it to you, because the right value cannot be recomputed.`}
        </Trans>
      </Text>
      <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table verticalSpacing="xs">
          <Heads of={[t`Row`, t`Stored`, t`Expected`, t`State`]} />
          <Table.Tbody>
            {differences.map(({ row, stored, expected, isRepaired }) => (
              <Table.Tr key={JSON.stringify(row)}>
                <Table.Td>
                  <RowId row={row} />
                </Table.Td>
                <Table.Td>{stored ?? 'nothing'}</Table.Td>
                <Table.Td>{expected ?? 'nothing'}</Table.Td>
                <Table.Td>
                  <Status tone={isRepaired ? 'good' : 'bad'}>{isRepaired ? t`Repaired` : t`Differs`}</Status>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {check.differences > differences.length && (
        <Text size="sm" c="dimmed">
          <Trans>
            The first {differences.length} of {check.differences.toLocaleString()}.
          </Trans>
        </Text>
      )}
    </Stack>
  );
}

function RowId({ row }: { row: unknown }) {
  return Object.entries(membersOf(row)).map(([name, value]) => (
    <Text key={name} size="sm">
      {name} <Code style={{ overflowWrap: 'anywhere' }}>{String(value)}</Code>
    </Text>
  ));
}

function AllChecks({ checks }: { checks: readonly Check[] }) {
  return (
    <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table verticalSpacing="xs" aria-label={t`All checks`}>
        <Heads of={[t`Check`, t`Expected`, t`Differences`]} />
        <Table.Tbody>
          {checks.map(({ name, description, differences }) => (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              <Table.Td>{description}</Table.Td>
              <Table.Td>{differences.toLocaleString()}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
