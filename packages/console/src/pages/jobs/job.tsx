import { Alert, Anchor, Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { query } from '../../app/clients.ts';
import { usePolling } from '../../app/polling.ts';
import { bytesText } from '../../ui/bytes.ts';
import { Notice } from '../../ui/notice.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { Copyable, Time } from '../../ui/values.tsx';
import { JobActions } from './actions.tsx';
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
      title={job.data ? titleOf(job.data) : 'Job'}
      actions={job.data && <JobActions application={application} job={job.data} hasDeletion />}
    >
      <Anchor component={Link} to={`/apps/${application}/backups`} size="sm" style={{ alignSelf: 'flex-start' }}>
        Backups and checks
      </Anchor>
      <Loaded of={job}>{(shown) => <Details application={application} job={shown} />}</Loaded>
    </Page>
  );
}

function Details({ application, job }: { application: number; job: ShownJob }) {
  const { startedAt, finishedAt, createdAt, startedBy, error, backup, check } = job;
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Fact name="State">
          <StateBadge {...job} />
        </Fact>
        <Fact name="Started by">{startedBy.name}</Fact>
        <Fact name="Started">
          <Time of={startedAt ?? createdAt} />
        </Fact>
        <Fact name="Duration">{startedAt && finishedAt ? durationText(startedAt, finishedAt) : '–'}</Fact>
      </SimpleGrid>
      {isActive(job) && <JobProgress label={titleOf(job)} {...job} />}
      {error && (
        <Alert color="red" title={job.state === 'FAILED' ? 'It failed' : 'It was interrupted'}>
          {error}
        </Alert>
      )}
      {backup && <Archive backup={backup} />}
      {check && <CheckReport application={application} check={check} />}
    </Stack>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="div">{children}</Text>
    </div>
  );
}

function Archive({ backup }: { backup: NonNullable<ShownJob['backup']> }) {
  const { bytes, rows, files, missingFiles, sha256, isStored, expiresAt } = backup;
  return (
    <Stack component="section" aria-label="Archive">
      <Title order={2} size="h4">
        Archive
      </Title>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Fact name="Size">{bytesText(bytes)}</Fact>
        <Fact name="Rows">{rows.toLocaleString()}</Fact>
        <Fact name="Files">{files.toLocaleString()}</Fact>
        <Fact name={isStored ? 'Stored until' : 'Stored'}>{isStored ? <Time of={expiresAt} /> : 'No longer'}</Fact>
      </SimpleGrid>
      {missingFiles > 0 && (
        <Notice title={`${missingFiles.toLocaleString()} files are missing`}>
          Data names files whose bytes the storage does not have. A check lists them.
        </Notice>
      )}
      <Copyable label="SHA-256" value={sha256} />
      <Text size="sm">
        Import it at the command line of another service, with the passphrase in a file. Add <Code>--trust</Code> if you
        made it yourself.
      </Text>
      <Group>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          npm run --silent cli -- import application.tar.gz --passphrase-file passphrase
        </Code>
      </Group>
    </Stack>
  );
}
