import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Group, Modal, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { query } from '../../app/clients.ts';
import { forward, PAGE_SIZE } from '../../app/paging.ts';
import { useListPolling } from '../../app/polling.ts';
import { idOf } from '../../app/user-search.ts';
import { bytesText } from '../../ui/bytes.ts';
import { Empty, Page } from '../../ui/page.tsx';
import { type Column, Rows } from '../../ui/rows.tsx';
import { Status } from '../../ui/status.tsx';
import { UserSelect } from '../../ui/user-select.tsx';
import { Time } from '../../ui/values.tsx';
import { FILES, type ListedFile, useOpensFiles } from './documents.ts';
import { FileView } from './file-view.tsx';
import { Thumbnail, useImageAddresses } from './thumbnail.tsx';

const from = '/shell/apps/$application/files';

export function FilesPage() {
  const { application } = useParams({ from });
  const { user, file } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/files' });
  const target = { application, onBehalfOf: idOf(user) };
  const opens = useOpensFiles(application);
  const files = useInfiniteQuery({
    ...forward,
    refetchInterval: useListPolling(30_000),
    queryKey: [application, 'files', target.onBehalfOf],
    queryFn: async ({ pageParam, signal }) =>
      (await query(target, FILES, { first: PAGE_SIZE, after: pageParam, opens }, signal)).blobs,
  });
  const addresses = useImageAddresses(application, files.data?.pages ?? [], opens);
  const total = files.data?.pages[0]?.totalCount;
  const close = () => void navigate({ search: (old) => ({ ...old, file: undefined }) });
  return (
    <Page
      title={t`Files`}
      description={total === undefined ? t`Newest first` : t`${total.toLocaleString()} found, newest first`}
    >
      <Group className="filters" align="flex-end">
        <UserSelect
          application={application}
          label={t`Owner`}
          value={user}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, user: next }), replace: true })}
        />
      </Group>
      <Rows
        label={t`Files`}
        of={files}
        columns={columnsOf(application, user, addresses)}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t`No files`}>
            <Trans>
              Clients upload files for avatars and attachments of messages. Files of records are in the records.
            </Trans>
          </Empty>
        }
      />
      <Modal opened={file !== undefined} onClose={close} title={t`File ${file ?? ''}`} size="lg">
        {file !== undefined && <FileView application={application} id={Number(file)} onClose={close} />}
      </Modal>
    </Page>
  );
}

const columnsOf = (
  application: number,
  user: string | undefined,
  addresses: ReadonlyMap<number, string>,
): Column<ListedFile>[] => [
  {
    name: t`File`,
    width: 'minmax(0, 2fr)',
    render: ({ id, name, contentType }) => (
      <Group gap="sm" wrap="nowrap">
        <span className="thumbnail-place">
          <Thumbnail address={addresses.get(id)} name="" />
        </span>
        <div style={{ minWidth: 0 }}>
          <Link
            className="row-link"
            to="/apps/$application/files"
            params={{ application }}
            search={{ ...(user !== undefined && { user }), file: String(id) }}
          >
            {name ?? t`File ${id}`}
          </Link>
          <Text size="xs" c="dimmed" truncate>
            <Trans>
              Id {id} · {contentType}
            </Trans>
          </Text>
        </div>
      </Group>
    ),
  },
  { name: t`Size`, width: '7rem', render: ({ size }) => (size === null ? t`no bytes` : bytesText(size)) },
  {
    name: t`Readable by`,
    width: '9rem',
    isMinor: true,
    render: ({ public: isPublic }) => <Status>{isPublic ? t`Public` : t`Sessions`}</Status>,
  },
  { name: t`Created`, width: '12rem', isMinor: true, render: ({ createdAt }) => <Time of={createdAt} /> },
];
