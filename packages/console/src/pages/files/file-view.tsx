import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Group, Image, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate, query } from '../../app/clients.ts';
import { root } from '../../root.ts';
import { bytesText } from '../../ui/bytes.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Loaded } from '../../ui/page.tsx';
import { Copyable, Time } from '../../ui/values.tsx';
import { DELETE_FILE, FILE, type FileDetails, UPDATE_FILE, useOpensFiles } from './documents.ts';

interface FileViewProps {
  application: number;
  id: number;
  onClose: () => void;
}

/** One file with what can be done about it. */
export function FileView({ application, id, onClose }: FileViewProps) {
  const queries = useQueryClient();
  const opens = useOpensFiles(application);
  const queryKey = [application, 'file', id];
  const file = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await query({ application }, FILE, { id, opens }, signal)).blob,
  });
  const refresh = () => queries.invalidateQueries({ queryKey: [application, 'files'] });
  const update = useMutation({
    mutationFn: (isPublic: boolean) => mutate({ application }, UPDATE_FILE, { id, input: { public: isPublic } }),
    onSettled: () => Promise.all([refresh(), queries.invalidateQueries({ queryKey })]),
  });
  const remove = useMutation({
    mutationFn: () => mutate({ application }, DELETE_FILE, { id }),
    onSuccess: () => {
      notifications.show({ message: t`File deleted` });
      onClose();
      return refresh();
    },
  });
  return (
    <Loaded of={file}>
      {(loaded) => (
        <Stack>
          <Preview file={loaded} />
          <Facts file={loaded} />
          {loaded.url && <Copyable label={t`Download URL`} value={loaded.url} />}
          <Switch
            disabled={!opens}
            label={t`Public`}
            description={t`Any client that has the URL can download the file without credentials.`}
            checked={update.isPending ? update.variables : loaded.public}
            onChange={(event) => update.mutate(event.currentTarget.checked)}
          />
          <Group justify="flex-end">
            <ConfirmButton
              label={t`Delete file`}
              question={t`Delete ${loaded.name ?? t`File ${id}`}? Messages and users that refer to it keep a dead link.`}
              onConfirm={() => remove.mutate()}
              isLoading={remove.isPending}
            />
          </Group>
        </Stack>
      )}
    </Loaded>
  );
}

/** Other types may be documents that run scripts. */
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/i;

/** Downloads of private files require a session of the application, which an administrator does not have. */
function Preview({ file: { uid, name, contentType, public: isPublic, setCompletedAt } }: { file: FileDetails }) {
  const [hasFailed, setFailed] = useState(false);
  if (setCompletedAt === null)
    return (
      <Text c="dimmed">
        <Trans>The client has not completed the upload.</Trans>
      </Text>
    );
  if (!IMAGE.test(contentType))
    return (
      <Text c="dimmed">
        <Trans>Only images have a preview.</Trans>
      </Text>
    );
  if (!isPublic || uid === undefined)
    return (
      <Text c="dimmed">
        <Trans>Private files have no preview here. Only clients can download them.</Trans>
      </Text>
    );
  if (hasFailed)
    return (
      <Text c="dimmed">
        <Trans>The file is not an image that the browser can show.</Trans>
      </Text>
    );
  const version = encodeURIComponent(String(setCompletedAt));
  return (
    <Image
      src={new URL(`blobs/${uid}?version=${version}`, root).href}
      alt={name ?? ''}
      fit="contain"
      mah={320}
      onError={() => setFailed(true)}
    />
  );
}

function Facts({ file: { name, contentType, size, tags, createdAt, setCompletedAt } }: { file: FileDetails }) {
  const facts = {
    ...(name !== undefined && { Name: name }),
    'Media type': contentType,
    Size: size === null ? '–' : bytesText(size),
    ...(tags && { Tags: tags.join(', ') || '–' }),
    Created: <Time of={createdAt} />,
    Uploaded: <Time of={setCompletedAt} />,
  };
  return (
    <SimpleGrid cols={{ base: 2, sm: 3 }}>
      {Object.entries(facts).map(([label, value]) => (
        <div key={label}>
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
