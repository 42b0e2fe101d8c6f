import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { ActionIcon, Box, Button, Group, Menu, Modal, Stack, Text, Textarea } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate } from '../app/clients.ts';
import { nameOf, type PicturedUser } from '../app/user-names.ts';
import { Confirmation } from '../ui/confirm-button.tsx';
import { Footer } from '../ui/form.tsx';
import { Status } from '../ui/status.tsx';
import { showUndo } from '../ui/undo.tsx';
import { Time } from '../ui/values.tsx';
import { UserPicture } from './files/user-picture.tsx';
import { type Message, type MessagesPage, without } from './messages.ts';

const EDIT = graphql(`mutation ConsoleEditMessage($id: ID!, $text: String!) {
  updateMessages(ids: [$id], input: { text: $text }) { id }
}`);
const DELETE_MESSAGE = graphql(`mutation ConsoleDeleteMessage($id: ID!) {
  deleteMessages(ids: [$id], force: true) { deletedIds }
}`);

/** A message with the actions of a moderator. */
export function MessageItem({
  message,
  application,
  sender,
  isContinued,
}: {
  message: Message;
  application: number;
  sender: PicturedUser;
  /** Whether the one before is by the same sender, so that the name need not be repeated. */
  isContinued: boolean;
}) {
  const { id, senderId, text, dateSent, createdAt, updatedAt, attachments, readIds, reactions } = message;
  const readers = readIds.filter((reader) => reader !== senderId).length;
  const name = nameOf(sender);
  const [isEditing, setEditing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => mutate({ application }, DELETE_MESSAGE, { id }),
    onSuccess: () => {
      const remaining = (old: InfiniteData<MessagesPage> | undefined) => old && without(old, [id]);
      queries.setQueriesData<InfiniteData<MessagesPage>>({ queryKey: [application, 'messages'] }, remaining);
    },
  });
  return (
    <div className="message">
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
        {isContinued ? (
          <span style={{ width: 32 }} />
        ) : (
          <UserPicture application={application} user={sender} size={32} />
        )}
        <Box flex={1} miw={0}>
          {!isContinued && (
            <Group gap="xs">
              <Text fw={600} size="sm">
                {name}
              </Text>
              <Text size="xs" c="dimmed">
                <Time isExact of={dateSent} />
              </Text>
            </Group>
          )}
          <Text className="message-text">{text}</Text>
          {attachments.length > 0 && (
            <Text size="sm" c="dimmed">
              <Plural value={attachments.length} one="# attachment" other="# attachments" />
            </Text>
          )}
          <Group gap={6}>
            {reactions.map(({ name, count }) => (
              <Status key={name}>
                {name} {count}
              </Status>
            ))}
            <Text size="xs" c="dimmed">
              {updatedAt !== createdAt && `${t`edited`} `}
              {readers > 0 && <Plural value={readers} one="read by # other" other="read by # others" />}
            </Text>
          </Group>
        </Box>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t`Moderate the message of ${name}`}
              loading={remove.isPending}
            >
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setEditing(true)}>
              <Trans>Edit</Trans>
            </Menu.Item>
            <Menu.Item c="var(--mantine-color-error)" onClick={() => setDeleting(true)}>
              <Trans>Delete for all</Trans>
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Confirmation
        isOpen={isDeleting}
        label={t`Delete for all`}
        question={t`The message disappears for all occupants. This cannot be undone.`}
        onConfirm={() => remove.mutate()}
        onClose={() => setDeleting(false)}
      />
      <Modal opened={isEditing} onClose={() => setEditing(false)} title={t`Edit message`}>
        <EditForm application={application} id={id} text={text} onDone={() => setEditing(false)} />
      </Modal>
    </div>
  );
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
    mutationFn: (change: { text: string; before: string }) => mutate({ application }, EDIT, { id, text: change.text }),
    onSuccess: (_saved, { text, before }) => {
      onDone();
      void queries.invalidateQueries({ queryKey: [application, 'messages'] });
      showUndo(t`Message changed`, () => save.mutate({ text: before, before: text }));
    },
  });
  return (
    <Stack>
      <Textarea
        label={t`Text`}
        description={t`The occupants see the new text at once`}
        value={edited}
        onChange={(event) => setEdited(event.currentTarget.value)}
        autosize
        maxRows={12}
        data-autofocus
      />
      <Footer onCancel={onDone}>
        <Button
          onClick={() => save.mutate({ text: edited, before: text })}
          loading={save.isPending}
          disabled={edited === text || edited === ''}
        >
          <Trans>Save</Trans>
        </Button>
      </Footer>
    </Stack>
  );
}
