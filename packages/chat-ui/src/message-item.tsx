import type { Message } from '@atrium/client';
import { useUser } from '@atrium/react';
import { memo } from 'react';
import { Attachments } from './attachments.tsx';
import { UserAvatar } from './avatar.tsx';
import { Boundary } from './boundary.tsx';
import { CheckIcon, ChecksIcon, ClockIcon, ReactionGlyph, WarningIcon } from './icons.tsx';
import { reactionLabel, useLabels } from './labels.ts';
import { Actions, type MessageActions } from './message-actions.tsx';
import { Text } from './text.tsx';
import { timeOf } from './times.ts';

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
  const { text, attachments, createdAt, isEdited, reactions, state, error } = message;
  const isTimed = isLast || state !== 'sent';
  const time = timeOf(createdAt, labels);
  const name = isOwn ? labels.you : (sender?.name ?? '');
  const classes = [
    'atrium-message',
    isOwn && 'atrium-own',
    isFirst && 'atrium-first',
    isLast && 'atrium-last',
    `atrium-${state}`,
  ];
  return (
    <div className={classes.filter(Boolean).join(' ')}>
      {isGroup && !isOwn && <span className="atrium-side">{isLast && <UserAvatar id={message.senderId} />}</span>}
      <div className="atrium-column">
        {isGroup && !isOwn && isFirst && <span className="atrium-sender">{name}</span>}
        <div className="atrium-bubble-line">
          <div className="atrium-bubble">
            {!(isGroup && isFirst && !isOwn) && <span className="atrium-hidden">{name}: </span>}
            {attachments.length > 0 && <Attachments attachments={attachments} />}
            {text && <Text text={text} />}
            {(isEdited || isTimed) && (
              <span className="atrium-meta">
                {isEdited && <span>{labels.edited}</span>}
                {isTimed && <time dateTime={createdAt}>{time}</time>}
                {isTimed && isOwn && <ReadMark message={message} isGroup={isGroup} />}
              </span>
            )}
          </div>
          {state === 'sent' && (
            <Actions message={message} isOwn={isOwn} actions={actions}>
              {!isTimed && (
                <span className="atrium-aside">
                  <time dateTime={createdAt}>{time}</time>
                  {isOwn && <ReadMark message={message} isGroup={isGroup} />}
                </span>
              )}
            </Actions>
          )}
        </div>
        {reactions.length > 0 && (
          <div className="atrium-reactions">
            {reactions.map((reaction) => (
              <button
                key={reaction.name}
                type="button"
                className="atrium-reaction"
                aria-pressed={reaction.own}
                aria-label={`${reactionLabel(labels, reaction.name)}, ${reaction.count}`}
                onClick={() => void actions.react(message.id, reaction.name).catch(() => {})}
              >
                <ReactionGlyph name={reaction.name} />
                <span>{reaction.count}</span>
              </button>
            ))}
          </div>
        )}
        {state === 'failed' && (
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
        )}
      </div>
    </div>
  );
}

/** Whether a message is pending, sent, or read by the others. */
export function ReadMark({ message: { state, readIds, senderId }, isGroup }: { message: Message; isGroup: boolean }) {
  const labels = useLabels();
  const readers = readIds.filter((id) => id !== senderId).length;
  const [icon, text] =
    state === 'pending'
      ? [<ClockIcon key="icon" />, labels.pending]
      : state === 'failed'
        ? [<WarningIcon key="icon" />, labels.failed]
        : readers > 0
          ? [<ChecksIcon key="icon" />, isGroup ? labels.readBy(readers) : labels.read]
          : [<CheckIcon key="icon" />, labels.sent];
  return (
    <span className="atrium-mark-box" title={text}>
      {icon}
      <span className="atrium-hidden">{text}</span>
    </span>
  );
}
