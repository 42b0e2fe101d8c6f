import type { Message } from '@atrium/client';
import type { ReactNode } from 'react';
import { CheckIcon, ChecksIcon, ClockIcon, ReactionGlyph, WarningIcon } from './icons.tsx';
import { reactionLabel, useLabels } from './labels.ts';
import { timeOf } from './times.ts';

/** What a message shows by itself. */
export type ShownMessage = Pick<Message, 'senderId' | 'createdAt' | 'isEdited' | 'readIds' | 'state'> & {
  reactions: readonly { name: string; count: number; own?: boolean }[];
};

export interface MessageViewProps {
  message: ShownMessage;
  /** Of the sender. */
  name: string;
  /** At the side of the reader. */
  isOwn?: boolean;
  /** The first and the last of several messages of one sender. */
  isFirst: boolean;
  isLast: boolean;
  /** In groups, messages of others have names and pictures. */
  isGroup: boolean;
  /** Whether it shows who has read it. */
  isMarked?: boolean;
  picture?: ReactNode;
  /** Buttons at the side of the bubble, which also has the time if the bubble has not. */
  actions?: ((time: ReactNode) => ReactNode) | undefined;
  /** Without it, reactions cannot be pressed. */
  onReact?: ((name: string) => void) | undefined;
  /** Below the bubble. */
  problem?: ReactNode;
  /** Text and attachments. */
  children: ReactNode;
}

/** The look of a message, without a connection to a service. */
export function MessageView(props: MessageViewProps) {
  const { message, name, isOwn = false, isFirst, isLast, isGroup, isMarked = isOwn } = props;
  const { picture, actions, onReact, problem, children } = props;
  const labels = useLabels();
  const { createdAt, isEdited, reactions, state } = message;
  const isTimed = isLast || state !== 'sent';
  const hasSender = isGroup && !isOwn;
  const classes = [
    'atrium-message',
    isOwn && 'atrium-own',
    isFirst && 'atrium-first',
    isLast && 'atrium-last',
    `atrium-${state}`,
  ];
  const time = (
    <>
      <time dateTime={createdAt}>{timeOf(createdAt, labels)}</time>
      {isMarked && <ReadMark message={message} isGroup={isGroup} />}
    </>
  );
  return (
    <div className={classes.filter(Boolean).join(' ')}>
      {hasSender && <span className="atrium-side">{isLast && picture}</span>}
      <div className="atrium-column">
        {hasSender && isFirst && <span className="atrium-sender">{name}</span>}
        <div className="atrium-bubble-line">
          <div className="atrium-bubble">
            {!(hasSender && isFirst) && <span className="atrium-hidden">{name}: </span>}
            {children}
            {(isEdited || isTimed) && (
              <span className="atrium-meta">
                {isEdited && <span>{labels.edited}</span>}
                {isTimed && time}
              </span>
            )}
          </div>
          {state === 'sent' && actions?.(!isTimed && <span className="atrium-aside">{time}</span>)}
        </div>
        {reactions.length > 0 && <Reactions of={reactions} onReact={onReact} />}
        {problem}
      </div>
    </div>
  );
}

function Reactions({ of, onReact }: { of: ShownMessage['reactions']; onReact: MessageViewProps['onReact'] }) {
  const labels = useLabels();
  return (
    <div className="atrium-reactions">
      {of.map(({ name, count, own }) => {
        const label = `${reactionLabel(labels, name)}, ${count}`;
        const content = (
          <>
            <ReactionGlyph name={name} />
            <span>{count}</span>
          </>
        );
        return onReact ? (
          <button
            key={name}
            type="button"
            className="atrium-reaction"
            aria-pressed={own ?? false}
            aria-label={label}
            onClick={() => onReact(name)}
          >
            {content}
          </button>
        ) : (
          <span key={name} className="atrium-reaction" role="img" aria-label={label} title={label}>
            {content}
          </span>
        );
      })}
    </div>
  );
}

interface ReadMarkProps {
  message: Pick<Message, 'state' | 'readIds' | 'senderId'>;
  isGroup: boolean;
}

/** Whether a message is pending, sent, or read by the others. */
export function ReadMark({ message: { state, readIds, senderId }, isGroup }: ReadMarkProps) {
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
