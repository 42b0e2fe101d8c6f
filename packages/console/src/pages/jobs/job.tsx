import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { query } from '../../app/clients.ts';
import { usePolling } from '../../app/polling.ts';
import { bytesText } from '../../ui/bytes.ts';
import { Notice } from '../../ui/notice.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { Copyable, Fact, Time } from '../../ui/values.tsx';
import { DeleteArchive, JobActions } from './actions.tsx';
import { CheckReport } from './check-report.tsx';
import { JOB, type ShownJob } from './documents.ts';
import { JobProgress, StateBadge } from './progress.tsx';
import { durationText, titleOf } from './text.ts';
import { isActive, jobKey, useJobChanges } from './use-jobs.ts';

const POLL_MS = 10_000;

export function JobPage() {
  const { application, job: id } = useParams({ from: '/shell/apps/$application/backups/$job' });
  const interval = usePolling(POLL_MS);
  const job = useQuery({
    queryKey: jobKey(application, id),
    queryFn: async ({ signal }) => (await query({ application }, JOB, { id }, signal)).job,
    refetchInterval: ({ state: { data } }) => (data && isActive(data) ? interval : false),
  });
  useJobChanges(application, job.isSuccess);
  return (
    <Page
      title={job.data ? titleOf(job.data) : t`Job`}
      actions={job.data && <JobActions application={application} job={job.data} isMain />}
      more={job.data && <DeleteArchive application={application} job={job.data} />}
    >
      <Loaded of={job}>{(shown) => <Details application={application} job={shown} />}</Loaded>
    </Page>
  );
}

function Details({ application, job }: { application: number; job: ShownJob }) {
  const { startedAt, finishedAt, createdAt, startedBy, error, backup, check } = job;
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Fact name={t`State`}>
          <StateBadge {...job} />
        </Fact>
        <Fact name={t`Started by`}>{startedBy.name}</Fact>
        <Fact name={t`Started`}>
          <Time isExact of={startedAt ?? createdAt} />
        </Fact>
        <Fact name={t`Duration`}>{startedAt && finishedAt ? durationText(startedAt, finishedAt) : '–'}</Fact>
      </SimpleGrid>
      {isActive(job) && <JobProgress label={titleOf(job)} {...job} />}
      {error && (
        <Alert color="red" title={job.state === 'FAILED' ? t`It failed` : t`It was interrupted`}>
          {error}
        </Alert>
      )}
      {backup && <Archive backup={backup} />}
      {check && <CheckReport application={application} check={check} />}
    </Stack>
  );
}

function Archive({ backup }: { backup: NonNullable<ShownJob['backup']> }) {
  const { bytes, rows, files, missingFiles, sha256, isStored, expiresAt } = backup;
  return (
    <Stack component="section" aria-label={t`Archive`}>
      <Title order={2} size="h4">{t`Archive`}</Title>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Fact name={t`Size`}>{bytesText(bytes)}</Fact>
        <Fact name={t`Rows`}>{rows.toLocaleString()}</Fact>
        <Fact name={t`Files`}>{files.toLocaleString()}</Fact>
        <Fact name={isStored ? t`Stored until` : t`Stored`}>
          {isStored ? <Time isExact of={expiresAt} /> : t`No longer`}
        </Fact>
      </SimpleGrid>
      {missingFiles > 0 && (
        <Notice title={plural(missingFiles, { one: '# file is missing', other: '# files are missing' })}>
          <Trans>Data names files whose bytes the storage does not have. A check lists them.</Trans>
        </Notice>
      )}
      <Copyable label={t`SHA-256`} value={sha256} />
      <Text size="sm">
        <Trans>
          Import it at the command line of another service, with the passphrase in a file. Add <Code>--trust</Code> if
          you made it yourself.
        </Trans>
      </Text>
      <Group>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          npm run --silent cli -- import application.tar.gz --passphrase-file passphrase
        </Code>
      </Group>
    </Stack>
  );
}
