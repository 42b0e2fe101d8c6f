import { graphql, type ResultOf } from '@atrium/client';
import { ActionIcon, Badge, Box, Button, Card, Group, Menu, Modal, Stack, Text, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type InfiniteData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { clientOf, mutate, query } from '../app/clients.ts';
import { sentenceOf } from '../app/query-client.ts';
import { useUserNames } from '../app/user-names.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Empty, Failure, Loaded, Page } from '../ui/page.tsx';
import { Time } from '../ui/values.tsx';

const DIALOG = graphql(`query ConsoleDialog($id: ID!) {
  dialog(id: $id) { id type name userId occupantIds adminIds createdAt }
}`);

const MESSAGES = graphql(`query ConsoleMessages($dialogId: ID!, $last: Int!, $before: String) {
  messages(dialogId: $dialogId, last: $last, before: $before) {
    totalCount
    edges { node { id senderId text dateSent updatedAt createdAt attachments reactions { name count } } }
    pageInfo { hasPreviousPage startCursor }
  }
}`);

const EVENTS = graphql(`subscription ConsoleDialogEvents($dialogId: ID, $since: String) {
  dialogEvents(dialogId: $dialogId, since: $since) { cursor dialogId __typename }
}`);

const EDIT = graphql(`mutation ConsoleEditMessage($id: ID!, $text: String!) {
  updateMessages(ids: [$id], input: { text: $text }) { id }
}`);
const DELETE_MESSAGE = graphql(`mutation ConsoleDeleteMessage($id: ID!) {
  deleteMessages(ids: [$id], force: true) { deletedIds }
}`);
const DELETE_DIALOG = graphql(`mutation ConsoleDeleteDialog($id: ID!) { deleteDialog(id: $id, force: true) }`);

type MessagesPage = ResultOf<typeof MESSAGES>['messages'];
type Message = MessagesPage['edges'][number]['node'];

const PAGE = 50;
const from = '/shell/apps/$application/dialogs/$dialog';

export function DialogPage() {
  const { application, dialog: id } = useParams({ from });
  const found = useQuery({
    queryKey: [application, 'dialog', id],
    queryFn: async ({ signal }) => (await query({ application }, DIALOG, { id }, signal)).dialog,
  });
  const nameOf = useUserNames(application, found.data?.occupantIds ?? []);
  const title = found.data?.name || found.data?.occupantIds.slice(0, 3).map(nameOf).join(', ') || 'Dialog';
  return (
    <Page
      title={title}
      description={found.data && `${found.data.occupantIds.length} occupants, ${id}`}
      actions={<DeleteDialog application={application} id={id} />}
    >
      <Loaded of={found}>
        {({ occupantIds, userId }) => (
          <Stack>
            <Group gap={6}>
              {occupantIds.slice(0, 30).map((occupant) => (
                <Badge key={occupant} variant="light" tt="none">
                  {nameOf(occupant)}
                  {occupant === userId && ' (owner)'}
                </Badge>
              ))}
            </Group>
            <Thread application={application} dialogId={id} nameOf={nameOf} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

interface ThreadProps {
  application: number;
  dialogId: string;
  nameOf: (id: number) => string;
}

function Thread({ application, dialogId, nameOf }: ThreadProps) {
  const queryKey = [application, 'messages', dialogId];
  const messages = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) =>
      (await query({ application }, MESSAGES, { dialogId, last: PAGE, before: pageParam }, signal)).messages,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo: { hasPreviousPage, startCursor } }: MessagesPage) =>
      hasPreviousPage ? startCursor : undefined,
  });
  const problem = useLiveMessages(application, dialogId, queryKey);
  const rows = messages.data?.pages.toReversed().flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  if (messages.error) return <Failure error={messages.error} retry={messages.refetch} />;
  if (messages.isSuccess && rows.length === 0) {
    return <Empty title="No messages yet">New messages appear here as soon as they are sent.</Empty>;
  }
  return (
    <Stack gap="xs">
      {messages.hasNextPage && (
        <Button variant="default" onClick={() => void messages.fetchNextPage()} loading={messages.isFetchingNextPage}>
          Earlier messages
        </Button>
      )}
      <Stack gap="xs" component="ol" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Messages">
        {rows.map((message) => (
          <MessageItem key={message.id} message={message} application={application} sender={nameOf(message.senderId)} />
        ))}
      </Stack>
      <Text size="sm" c="dimmed" role="status">
        {problem ? `Live updates have stopped: ${problem}` : 'New messages appear here live.'}
      </Text>
    </Stack>
  );
}

/** Loads the newest page again after each event. @returns why live updates have stopped */
function useLiveMessages(application: number, dialogId: string, queryKey: unknown[]): string | undefined {
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const key = JSON.stringify(queryKey);
  useEffect(() => {
    const aborted = new AbortController();
    const refresh = () => queries.invalidateQueries({ queryKey: JSON.parse(key) as unknown[] });
    clientOf({ application }).subscribe(
      EVENTS,
      { dialogId },
      {
        signal: aborted.signal,
        onGap: refresh,
        next: refresh,
        end: (error) => {
          if (!aborted.signal.aborted) setProblem(sentenceOf(error));
        },
      },
    );
    return () => aborted.abort();
  }, [application, dialogId, key, queries]);
  return problem;
}

function MessageItem({ message, application, sender }: { message: Message; application: number; sender: string }) {
  const { id, text, dateSent, createdAt, updatedAt, attachments, reactions } = message;
  const [isEditing, setEditing] = useState(false);
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => mutate({ application }, DELETE_MESSAGE, { id }),
    onSuccess: () => {
      const without = (old: InfiniteData<MessagesPage> | undefined) => old && withoutMessage(old, id);
      queries.setQueriesData<InfiniteData<MessagesPage>>({ queryKey: [application, 'messages'] }, without);
    },
  });
  return (
    <Card component="li" withBorder padding="sm">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Box flex={1} miw={0}>
          <Group gap="xs">
            <Text fw={600} size="sm">
              {sender}
            </Text>
            <Text size="xs" c="dimmed">
              <Time of={dateSent} />
              {updatedAt !== createdAt && ' (changed)'}
            </Text>
          </Group>
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>
          {attachments.length > 0 && (
            <Text size="sm" c="dimmed">
              {attachments.length} attachments
            </Text>
          )}
          <Group gap={4}>
            {reactions.map(({ name, count }) => (
              <Badge key={name} variant="light" tt="none">
                {name} {count}
              </Badge>
            ))}
          </Group>
        </Box>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" aria-label={`Moderate the message of ${sender}`} loading={remove.isPending}>
              …
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setEditing(true)}>Edit</Menu.Item>
            <Menu.Item c="var(--mantine-color-error)" onClick={() => remove.mutate()}>
              Delete for all
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Modal opened={isEditing} onClose={() => setEditing(false)} title="Edit message">
        <EditForm application={application} id={id} text={text} onDone={() => setEditing(false)} />
      </Modal>
    </Card>
  );
}

function withoutMessage(old: InfiniteData<MessagesPage>, id: string): InfiniteData<MessagesPage> {
  const pages = old.pages.map((page) => ({ ...page, edges: page.edges.filter(({ node }) => node.id !== id) }));
  return { ...old, pages };
}

interface EditFormProps {
  application: number;
  id: string;
  text: string;
  onDone: () => void;
}

function EditForm({ application, id, text, onDone }: EditFormProps) {
  const [edited, setEdited] = useState(text);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () => mutate({ application }, EDIT, { id, text: edited }),
    onSuccess: () => {
      onDone();
      void queries.invalidateQueries({ queryKey: [application, 'messages'] });
    },
  });
  return (
    <Stack>
      <Textarea
        label="Text"
        description="The occupants see the new text at once"
        value={edited}
        onChange={(event) => setEdited(event.currentTarget.value)}
        autosize
        maxRows={12}
        data-autofocus
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button onClick={() => save.mutate()} loading={save.isPending} disabled={edited === text}>
          Save
        </Button>
      </Group>
    </Stack>
  );
}

function DeleteDialog({ application, id }: { application: number; id: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => mutate({ application }, DELETE_DIALOG, { id }),
    onSuccess: async () => {
      await navigate({ to: '/apps/$application/dialogs', params: { application } });
      await queries.invalidateQueries({ queryKey: [application, 'dialogs'] });
      notifications.show({ message: 'The dialog was deleted' });
    },
  });
  return (
    <ConfirmButton
      label="Delete dialog"
      question="The dialog and all its messages are deleted for all occupants. This cannot be undone."
      onConfirm={() => remove.mutate()}
      isLoading={remove.isPending}
    />
  );
}
