import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { mutate } from '../../app/clients.ts';
import { root } from '../../root.ts';
import { RareAction } from '../../ui/confirm-button.tsx';
import { CANCEL, DELETE, DOWNLOAD, type ListedJob } from './documents.ts';
import { titleOf } from './text.ts';
import { isActive, jobKey } from './use-jobs.ts';

interface ActionsProps {
  application: number;
  job: Pick<ListedJob, 'id' | 'kind' | 'state' | 'isRepair' | 'cancelRequestedAt' | 'backup'>;
  /** Whether the page is only about this job. */
  isMain?: boolean;
}

/** What can be done with a job in its state. */
export function JobActions({ application, job, isMain = false }: ActionsProps) {
  const { id, cancelRequestedAt, backup } = job;
  const refresh = useRefresh(application, id);
  const cancel = useMutation({
    mutationFn: () => mutate({ application }, CANCEL, { id }),
    onSettled: refresh,
  });
  const download = useMutation({
    mutationFn: async () => (await mutate({ application }, DOWNLOAD, { id })).createBackupDownload.path,
    onSuccess: (path) => save(new URL(`.${path}`, root)),
  });
  if (isActive(job)) {
    return (
      <Button
        size="xs"
        variant="default"
        onClick={() => cancel.mutate()}
        loading={cancel.isPending}
        disabled={cancelRequestedAt !== null}
        aria-label={t`Cancel ${titleOf(job)}`}
      >
        <Trans>Cancel</Trans>
      </Button>
    );
  }
  if (!backup?.isStored) return null;
  return (
    <Button
      size={isMain ? 'sm' : 'xs'}
      variant={isMain ? 'filled' : 'default'}
      onClick={() => download.mutate()}
      loading={download.isPending}
    >
      <Trans>Download</Trans>
    </Button>
  );
}

export function DeleteArchive({ application, job: { id, backup } }: Pick<ActionsProps, 'application' | 'job'>) {
  const refresh = useRefresh(application, id);
  const remove = useMutation({
    mutationFn: () => mutate({ application }, DELETE, { id }),
    onSuccess: () => notifications.show({ message: t`Archive deleted` }),
    onSettled: refresh,
  });
  if (!backup?.isStored) return null;
  return (
    <RareAction
      label={t`Delete archive`}
      question={t`Delete this archive from the storage of the service? Copies that were downloaded remain.`}
      onConfirm={() => remove.mutate()}
      isLoading={remove.isPending}
    />
  );
}

function useRefresh(application: number, id: string) {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: [application, 'jobs'] }),
      queries.invalidateQueries({ queryKey: jobKey(application, id) }),
    ]);
}

/** Lets the browser store the file, however large it is. */
function save(url: URL): void {
  const link = document.createElement('a');
  link.href = url.href;
  link.download = '';
  link.click();
}
