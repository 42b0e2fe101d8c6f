import type { Message } from '@atrium/client';
import { useUser } from '@atrium/react';
import { memo } from 'react';
import { Attachments } from './attachments.tsx';
import { UserAvatar } from './avatar.tsx';
import { Boundary } from './boundary.tsx';
import { useLabels } from './labels.ts';
import { Actions, type MessageActions } from './message-actions.tsx';
import { MessageView } from './message-view.tsx';
import { Text } from './text.tsx';

export interface MessageItemProps {
  message: Message;
  isOwn: boolean;
  /** The first and the last of several messages of one sender. */
  isFirst: boolean;
  isLast: boolean;
  /** In groups, messages of others have names and pictures. */
  isGroup: boolean;
  actions: MessageActions;
}

/** One that cannot be rendered is replaced by a text. */
export const MessageItem = memo(function MessageItem(props: MessageItemProps) {
  const labels = useLabels();
  return (
    <Boundary
      of={props.message}
      fallback={() => <div className="atrium-message atrium-unreadable">{labels.messageFailed}</div>}
    >
      <Item {...props} />
    </Boundary>
  );
});

function Item({ message, isOwn, isFirst, isLast, isGroup, actions }: MessageItemProps) {
  const labels = useLabels();
  const sender = useUser(message.senderId);
  const { id, senderId, text, attachments, state, error } = message;
  return (
    <MessageView
      message={message}
      name={isOwn ? labels.you : (sender?.name ?? '')}
      isOwn={isOwn}
      isFirst={isFirst}
      isLast={isLast}
      isGroup={isGroup}
      picture={<UserAvatar id={senderId} />}
      actions={(time) => (
        <Actions message={message} isOwn={isOwn} actions={actions}>
          {time}
        </Actions>
      )}
      onReact={(name) => void actions.react(id, name).catch(() => {})}
      problem={
        state === 'failed' && (
          <div className="atrium-failure" role="alert">
            <span>
              {labels.failed}
              {error && `: ${error.message}`}
            </span>
            <button type="button" onClick={() => void actions.retry(message)}>
              {labels.retry}
            </button>
            <button type="button" onClick={() => void actions.discard(message)}>
              {labels.discard}
            </button>
          </div>
        )
      }
    >
      {attachments.length > 0 && <Attachments attachments={attachments} />}
      {text && <Text text={text} />}
    </MessageView>
  );
}
