import type { Message } from '@atrium/client';
import { useUser } from '@atrium/react';
import { type KeyboardEvent, memo, useEffect, useId, useRef, useState } from 'react';
import { Attachments } from './attachments.tsx';
import { Avatar } from './avatar.tsx';
import { Boundary } from './boundary.tsx';
import {
  CheckIcon,
  ChecksIcon,
  ClockIcon,
  DeleteIcon,
  EditIcon,
  REACTIONS,
  ReactionGlyph,
  SmileIcon,
  WarningIcon,
} from './icons.tsx';
import { reactionLabel, useLabels } from './labels.ts';
import { timeOf } from './times.ts';

export interface MessageActions {
  react: (messageId: string, name: string) => Promise<void>;
  delete: (messageId: string) => Promise<void>;
  retry: (message: Message) => Promise<void>;
  discard: (message: Message) => Promise<void>;
  startEdit: (message: Message) => void;
}

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
  const textId = useId();
  const { text, attachments, createdAt, isEdited, reactions, state, error } = message;
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
      {isGroup && !isOwn && (
        <span className="atrium-side">{isLast && <Avatar name={name} seed={`user ${message.senderId}`} />}</span>
      )}
      <div className="atrium-column">
        {isGroup && !isOwn && isFirst && <span className="atrium-sender">{name}</span>}
        <div className="atrium-bubble-line">
          <div className="atrium-bubble" id={textId}>
            {!(isGroup && isFirst && !isOwn) && <span className="atrium-hidden">{name}: </span>}
            {attachments.length > 0 && <Attachments attachments={attachments} />}
            {text && <span className="atrium-text">{text}</span>}
            <span className="atrium-meta">
              {isEdited && <span>{labels.edited}</span>}
              <time dateTime={createdAt}>{timeOf(createdAt)}</time>
              {isOwn && <ReadMark message={message} isGroup={isGroup} />}
            </span>
          </div>
          {state === 'sent' && <Actions message={message} isOwn={isOwn} actions={actions} />}
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

function Actions({ message, isOwn, actions }: { message: Message; isOwn: boolean; actions: MessageActions }) {
  const labels = useLabels();
  const [open, setOpen] = useState<'reactions' | 'delete'>();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const close = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(undefined);
    };
    document.addEventListener('pointerdown', close);
    box.current?.querySelector<HTMLButtonElement>('.atrium-popover button')?.focus();
    return () => document.removeEventListener('pointerdown', close);
  }, [open]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return;
    event.stopPropagation();
    setOpen(undefined);
    box.current?.querySelector('button')?.focus();
  };
  const choose = (act: () => Promise<void>) => {
    setOpen(undefined);
    void act().catch(() => {});
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what a button in it opened
    <div className={`atrium-actions${open ? ' atrium-open' : ''}`} ref={box} onKeyDown={onKeyDown}>
      <button
        type="button"
        aria-label={labels.react}
        title={labels.react}
        aria-expanded={open === 'reactions'}
        onClick={() => setOpen(open === 'reactions' ? undefined : 'reactions')}
      >
        <SmileIcon />
      </button>
      {isOwn && (
        <>
          {message.text && (
            <button
              type="button"
              aria-label={labels.edit}
              title={labels.edit}
              onClick={() => actions.startEdit(message)}
            >
              <EditIcon />
            </button>
          )}
          <button
            type="button"
            aria-label={labels.delete}
            title={labels.delete}
            aria-expanded={open === 'delete'}
            onClick={() => setOpen(open === 'delete' ? undefined : 'delete')}
          >
            <DeleteIcon />
          </button>
        </>
      )}
      {open === 'reactions' && (
        <fieldset className="atrium-popover" aria-label={labels.react}>
          {REACTIONS.map((name) => (
            <button
              key={name}
              type="button"
              className="atrium-pick"
              aria-label={labels.reactions[name]}
              title={labels.reactions[name]}
              onClick={() => choose(() => actions.react(message.id, name))}
            >
              <ReactionGlyph name={name} />
            </button>
          ))}
        </fieldset>
      )}
      {open === 'delete' && (
        <fieldset className="atrium-popover atrium-confirm" aria-label={labels.confirmDelete}>
          <span>{labels.confirmDelete}</span>
          <button type="button" className="atrium-danger" onClick={() => choose(() => actions.delete(message.id))}>
            {labels.delete}
          </button>
          <button type="button" onClick={() => setOpen(undefined)}>
            {labels.cancel}
          </button>
        </fieldset>
      )}
    </div>
  );
}
