import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Card, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Empty, Page } from '../../ui/page.tsx';
import { type Column, Rows } from '../../ui/rows.tsx';
import { Time } from '../../ui/values.tsx';
import { JobActions } from './actions.tsx';
import type { ListedJob } from './documents.ts';
import { JobProgress, StateBadge } from './progress.tsx';
import { StartCheck, StartExport } from './start.tsx';
import { resultOf, titleOf } from './text.ts';
import { isActive, useJobs } from './use-jobs.ts';

const from = '/shell/apps/$application/backups';

export function JobsPage() {
  const { application } = useParams({ from });
  const { start } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/backups' });
  const open = (next: string | undefined) => void navigate({ search: next === undefined ? {} : { start: next } });
  const close = () => open(undefined);
  const isExport = start !== undefined && start !== 'check';
  const jobs = useJobs(application);
  const active = jobs.rows.filter(isActive);
  return (
    <Page
      title={t`Backups and checks`}
      description={t`Archives of the application, and checks of its stored data.`}
      actions={
        <>
          <Button variant="default" onClick={() => open('check')}>{t`Start check`}</Button>
          <Button onClick={() => open('export')}>{t`Export`}</Button>
        </>
      }
    >
      {active.map((job) => (
        <ActiveJob key={job.id} application={application} job={job} />
      ))}
      <Rows
        label={t`Backups and checks`}
        of={jobs}
        columns={columnsOf(application)}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t`No backups and no checks`}>
            <Trans>
              Export writes the application with all data and files to one archive, for a backup or a move. Start check
              finds out whether counters, indexes and files agree with the data.
            </Trans>
          </Empty>
        }
      />
      <Modal opened={isExport} onClose={close} title={t`Export`} size="lg" closeOnClickOutside={false}>
        <StartExport application={application} onDone={close} />
      </Modal>
      <Modal opened={start === 'check'} onClose={close} title={t`Start check`} size="lg">
        <StartCheck application={application} onDone={close} />
      </Modal>
    </Page>
  );
}

function ActiveJob({ application, job }: { application: number; job: ListedJob }) {
  const title = titleOf(job);
  return (
    <Card withBorder component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Group gap="xs">
            <Title order={2} size="h4">
              {title}
            </Title>
            <StateBadge {...job} />
          </Group>
          <JobActions application={application} job={job} />
        </Group>
        <JobProgress label={title} {...job} />
        <Text size="sm" c="dimmed">
          <Trans>
            Started by {job.startedBy.name}, <Time of={job.createdAt} />. You may leave this page.
          </Trans>
        </Text>
      </Stack>
    </Card>
  );
}

const columnsOf = (application: number): Column<ListedJob>[] => [
  {
    name: t`Job`,
    width: 'minmax(0, 2fr)',
    render: (job) => (
      <>
        <Link className="row-link" to="/apps/$application/backups/$job" params={{ application, job: job.id }}>
          {titleOf(job)}
        </Link>
        <Text size="xs" c="dimmed" truncate>
          {resultOf(job) || t`by ${job.startedBy.name}`}
        </Text>
      </>
    ),
  },
  { name: t`State`, width: '8rem', render: (job) => <StateBadge {...job} /> },
  {
    name: t`Started by`,
    width: 'minmax(0, 1fr)',
    isMinor: true,
    render: ({ startedBy }) => startedBy.name,
  },
  { name: t`Started`, width: '12rem', isMinor: true, render: ({ createdAt }) => <Time of={createdAt} /> },
  {
    name: t`Archive`,
    width: '7rem',
    isMinor: true,
    render: (job) => (isActive(job) ? null : <JobActions application={application} job={job} />),
  },
];
