import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Menu, Modal, Stack, Textarea } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { FileBadge } from '../../../chat-ui/src/file-badge.tsx';
import { LinkedText } from '../../../chat-ui/src/linked-text.tsx';
import { MessageView } from '../../../chat-ui/src/message-view.tsx';
import { dayOf, isSameDay } from '../../../chat-ui/src/times.ts';
import { mutate } from '../app/clients.ts';
import { nameOf, type PicturedUser } from '../app/user-names.ts';
import { bytesText } from '../ui/bytes.ts';
import { Confirmation } from '../ui/confirm-button.tsx';
import { Footer, textProps } from '../ui/form.tsx';
import { membersOf } from '../ui/json.ts';
import { showUndo } from '../ui/undo.tsx';
import { LABELS } from './dialog-labels.tsx';
import { UserPicture } from './files/user-picture.tsx';
import { type Message, type MessagesPage, without } from './messages.ts';

const EDIT = graphql(`mutation ConsoleEditMessage($id: ID!, $text: String!) {
  updateMessages(ids: [$id], input: { text: $text }) { id }
}`);
const DELETE_MESSAGE = graphql(`mutation ConsoleDeleteMessage($id: ID!) {
  deleteMessages(ids: [$id], force: true) { deletedIds }
}`);

/** Seconds within which messages of one sender stand together. */
const TOGETHER = 300;

const timeOf = ({ dateSent }: Message) => new Date(dateSent * 1_000).toISOString();

function continues(message: Message | undefined, previous: Message | undefined): boolean {
  if (!message || !previous || !isSameDay(timeOf(message), timeOf(previous))) return false;
  return message.senderId === previous.senderId && message.dateSent - previous.dateSent < TOGETHER;
}

interface MessageItemProps {
  message: Message;
  previous: Message | undefined;
  next: Message | undefined;
  application: number;
  sender: PicturedUser;
}

/** A message as its occupants see it, with the actions of a moderator. */
export function MessageItem({ message, previous, next, application, sender }: MessageItemProps) {
  const { id, senderId, text, createdAt, updatedAt, attachments, readIds, reactions } = message;
  const name = nameOf(sender);
  const at = timeOf(message);
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
    <>
      {(!previous || !isSameDay(timeOf(previous), at)) && (
        <div className="atrium-day">
          <span>
            <time dateTime={at}>{dayOf(at, LABELS)}</time>
          </span>
        </div>
      )}
      <MessageView
        message={{ senderId, createdAt: at, isEdited: updatedAt !== createdAt, readIds, reactions, state: 'sent' }}
        name={name}
        isFirst={!continues(message, previous)}
        isLast={!continues(next, message)}
        isGroup
        isMarked
        picture={<UserPicture application={application} user={sender} size={34} />}
        actions={(time) => (
          <Menu position="bottom-start">
            <div className="atrium-actions">
              <Menu.Target>
                <button type="button" aria-label={t`Moderate the message of ${name}`} disabled={remove.isPending}>
                  <IconDots size={18} aria-hidden="true" />
                </button>
              </Menu.Target>
              {time}
            </div>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setEditing(true)}>{t`Edit`}</Menu.Item>
              <Menu.Item c="var(--mantine-color-error)" onClick={() => setDeleting(true)}>
                <Trans>Delete for all</Trans>
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      >
        {attachments.length > 0 && <Files application={application} attachments={attachments} />}
        {text && <LinkedText text={text} linkOf={linkOf} />}
      </MessageView>
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
    </>
  );
}

const linkOf = (address: string) => (URL.canParse(address) ? new URL(address).href : undefined);

/** Attachments by name; those that the service stores lead to the page of the file. */
function Files({ application, attachments }: { application: number; attachments: readonly unknown[] }) {
  return (
    <span className="atrium-attachments">
      {attachments.map((attachment, index) => {
        const { id, name = t`Attachment`, contentType, size } = membersOf(attachment);
        const file = /^\d+$/.test(String(id)) ? String(id) : undefined;
        const content = (
          <>
            <FileBadge name={String(name)} contentType={String(contentType ?? '')} />
            <span className="atrium-file-texts">
              <span className="atrium-file-name">{String(name)}</span>
              {typeof size === 'number' && <span className="atrium-file-size">{bytesText(size)}</span>}
            </span>
          </>
        );
        return file === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: attachments have no other key, and stay in their order
          <span key={index} className="atrium-file">
            {content}
          </span>
        ) : (
          <Link
            // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be attached twice
            key={index}
            className="atrium-file"
            to="/apps/$application/files"
            params={{ application }}
            search={{ file }}
          >
            {content}
          </Link>
        );
      })}
    </span>
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
        {...textProps(edited, setEdited)}
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
