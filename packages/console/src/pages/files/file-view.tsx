import { t } from '@lingui/core/macro';
import { Group, Image, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate, query } from '../../app/clients.ts';
import { bytesText } from '../../ui/bytes.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { checkedProps } from '../../ui/form.tsx';
import { Loaded } from '../../ui/page.tsx';
import { Copyable, Fact, Time } from '../../ui/values.tsx';
import {
  ADDRESS,
  addressOf,
  DELETE_FILE,
  FILE,
  type FileDetails,
  IMAGE,
  UPDATE_FILE,
  useOpensFiles,
} from './documents.ts';

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
          <Preview key={`${loaded.id} ${loaded.setCompletedAt}`} application={application} file={loaded} />
          <Facts file={loaded} />
          {loaded.url && <Copyable label={t`Download URL`} value={loaded.url} />}
          <Switch
            disabled={!opens}
            label={t`Public`}
            description={t`Any client that has the URL can download the file without credentials.`}
            {...checkedProps(update.isPending ? update.variables : loaded.public, update.mutate)}
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

/** Images send no credentials, so their address contains a ticket for this file. */
function Preview({ application, file }: { application: number; file: FileDetails }) {
  const { id, name, contentType, public: isPublic, setCompletedAt } = file;
  const [hasFailed, setFailed] = useState(false);
  const opens = useOpensFiles(application);
  const address = useQuery({
    queryKey: [application, 'file-address', id, setCompletedAt, isPublic],
    queryFn: async ({ signal }) =>
      (await query({ application }, ADDRESS, { files: [String(id)] }, signal)).fileAddresses[0]?.url,
    enabled: setCompletedAt !== null && IMAGE.test(contentType) && (isPublic || opens),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (setCompletedAt === null) return <Text c="dimmed">{t`The client has not completed the upload.`}</Text>;
  if (!IMAGE.test(contentType)) return <Text c="dimmed">{t`Only images have a preview.`}</Text>;
  if (!isPublic && !opens) return <Text c="dimmed">{t`Private files have no preview for your role.`}</Text>;
  if (hasFailed || address.isError)
    return <Text c="dimmed">{t`The file is not an image that the browser can show.`}</Text>;
  if (!address.data) return null;
  return (
    <Image src={addressOf(address.data)} alt={name ?? ''} fit="contain" mah={320} onError={() => setFailed(true)} />
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
        <Fact key={label} name={label}>
          {value}
        </Fact>
      ))}
    </SimpleGrid>
  );
}
