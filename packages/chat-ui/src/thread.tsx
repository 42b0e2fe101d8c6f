import type { Message } from '@atrium/client';
import { useDialog, useSession, useUser } from '@atrium/react';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Boundary } from './boundary.tsx';
import { Composer } from './composer.tsx';
import { EmptyState } from './empty-state.tsx';
import { Gallery } from './gallery.tsx';
import { AttachIcon, DownIcon, UpIcon } from './icons.tsx';
import { useLabels } from './labels.ts';
import type { MessageActions } from './message-actions.tsx';
import { MessageItem } from './message-item.tsx';
import { dayOf, isSameDay } from './times.ts';
import { Typing } from './typing.tsx';
import { useFirstUnread } from './use-first-unread.ts';
import { useReversedList } from './use-reversed-list.ts';
import { useVisible } from './use-visible.ts';

/** Messages of one sender within this time form a group. */
const GROUP_MS = 5 * 60_000;
const ESTIMATE = 48;

export interface ThreadProps {
  dialogId: string;
  /** Shown if there are no messages. */
  empty?: ReactNode;
}

/** The messages of a dialog with a composer. Only visible messages are rendered. Give it the dialog's id as `key`. */
export function Thread(props: ThreadProps) {
  const labels = useLabels();
  return (
    <Boundary
      of={props.dialogId}
      fallback={(retry) => (
        <div className="atrium-thread">
          <div className="atrium-empty" role="alert">
            <p>{labels.dialogFailed}</p>
            <button type="button" onClick={retry}>
              {labels.retry}
            </button>
          </div>
        </div>
      )}
    >
      <Messages {...props} />
    </Boundary>
  );
}

function Messages({ dialogId, empty }: ThreadProps) {
  const labels = useLabels();
  const { user } = useSession();
  const used = useDialog(dialogId);
  const { messages, status, hasOlder, hasNewer, typingIds, dialog, error } = used;
  const [editing, setEditing] = useState<Message>();
  const thread = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const keys = useMemo(() => messages.map(({ key }) => key), [messages]);
  const list = useReversedList(
    scroller,
    keys,
    ESTIMATE,
    () => hasOlder && void used.loadOlder(),
    () => hasNewer && void used.loadNewer(),
  );
  const actions = useMemo(
    (): MessageActions => ({
      react: used.react,
      delete: used.delete,
      retry: used.retry,
      discard: used.discard,
      startEdit: setEditing,
    }),
    [used.react, used.delete, used.retry, used.discard],
  );
  const unread = useFirstUnread(used, user?.id, list.scrollToKey);
  const divider = useVisible(unread.setSeen);
  useMarkRead(messages.at(-1), list.isAtEnd && !hasNewer, user?.id, used.markRead);
  const newCount = dialog?.unreadCount ?? 0;
  const isGroup = dialog !== undefined && dialog.type !== 'PRIVATE';

  const editLast = () => {
    const own = messages.filter(({ senderId, state, text }) => senderId === user?.id && state === 'sent' && text);
    const last = own.at(-1);
    if (last) setEditing(last);
  };
  const moveFocus = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const article = (event.target as HTMLElement).closest('article');
    if (!step || article !== event.target) return;
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('article')];
    all[all.indexOf(article as HTMLElement) + step]?.focus();
    event.preventDefault();
  };

  return (
    <div className="atrium-thread" ref={thread}>
      {/* A column in reverse, so that the position counts from the latest message. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable by keyboard */}
      <section className="atrium-scroller" ref={scroller} tabIndex={0} aria-label={labels.messages}>
        <div className="atrium-bottom" />
        {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between messages; an empty feed is no feed */}
        <div
          className="atrium-items"
          style={{ height: list.height }}
          role={messages.length > 0 ? 'feed' : undefined}
          aria-busy={status === 'loading'}
          onKeyDown={moveFocus}
        >
          <Gallery attachments={() => messages.flatMap(({ attachments }) => attachments)}>
            {list.items.map(({ index, bottom }) => {
              const message = messages[index]!;
              const [before, after] = [messages[index - 1], messages[index + 1]];
              return (
                <article
                  key={message.key}
                  ref={list.measure(message.key)}
                  className="atrium-item"
                  style={{ bottom }}
                  tabIndex={index === messages.length - 1 ? 0 : -1}
                  aria-posinset={index + 1}
                  aria-setsize={hasOlder ? -1 : messages.length}
                >
                  {(!before || !isSameDay(before.createdAt, message.createdAt)) && (
                    <div className="atrium-day">
                      <span>{dayOf(message.createdAt, labels)}</span>
                    </div>
                  )}
                  {message.key === unread.key && (
                    <div className="atrium-new" ref={divider}>
                      <span>{labels.new}</span>
                    </div>
                  )}
                  <MessageItem
                    message={message}
                    isOwn={message.senderId === user?.id}
                    isFirst={!before || message.key === unread.key || !isGrouped(before, message)}
                    isLast={!after || after.key === unread.key || !isGrouped(message, after)}
                    isGroup={isGroup}
                    actions={actions}
                  />
                </article>
              );
            })}
          </Gallery>
        </div>
        {hasOlder && <div className="atrium-older" aria-hidden="true" />}
        {messages.length === 0 && (
          <div className="atrium-empty" role="status">
            {status === 'loading'
              ? labels.loading
              : status === 'error'
                ? error?.message
                : (empty ?? <EmptyState title={labels.noMessages} hint={labels.noMessagesHint} />)}
          </div>
        )}
      </section>
      {unread.count > 0 && (
        <button
          type="button"
          className="atrium-first-unread"
          title={labels.firstUnread}
          onClick={() => {
            unread.jump();
            scroller.current?.focus();
          }}
        >
          <UpIcon />
          {labels.newMessages(unread.count)}
        </button>
      )}
      {(!list.isAtEnd || hasNewer) && (
        <button
          type="button"
          className="atrium-latest"
          aria-label={newCount > 0 ? `${labels.latest}, ${labels.newMessages(newCount)}` : labels.latest}
          title={labels.latest}
          onClick={() => void used.jumpToLatest().then(list.scrollToEnd)}
        >
          <DownIcon />
          {newCount > 0 && <span className="atrium-badge">{newCount}</span>}
        </button>
      )}
      <Typing userIds={typingIds} />
      <Announcer messages={messages} ownId={user?.id} />
      <Composer
        dialogId={dialogId}
        editing={editing}
        onEditEnd={() => setEditing(undefined)}
        onEditLast={editLast}
        dropZone={thread}
      />
      <div className="atrium-drop" aria-hidden="true">
        <AttachIcon />
        {labels.dropFiles}
      </div>
    </div>
  );
}

function isGrouped(before: Message, after: Message): boolean {
  const isSoon = Date.parse(after.createdAt) - Date.parse(before.createdAt) < GROUP_MS;
  return before.senderId === after.senderId && isSoon && isSameDay(before.createdAt, after.createdAt);
}

/** Marks the dialog as read while its latest message is visible. */
function useMarkRead(
  latest: Message | undefined,
  isVisible: boolean,
  userId: number | undefined,
  markRead: () => Promise<void>,
) {
  const isUnread = latest?.state === 'sent' && latest.senderId !== userId && !latest.readIds.includes(userId ?? 0);
  const id = latest?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new message is marked
  useEffect(() => {
    if (!isUnread || !isVisible) return;
    const mark = () => {
      if (document.visibilityState === 'visible') void markRead();
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [id, isUnread, isVisible, markRead]);
}

/** Reads new messages of others aloud. The list itself is not live, because scrolling changes it. */
function Announcer({ messages, ownId }: { messages: readonly Message[]; ownId: number | undefined }) {
  const labels = useLabels();
  const latest = messages.at(-1);
  const [start] = useState(() => new Date().toISOString());
  const sender = useUser(latest?.senderId ?? 0);
  const isNew = latest && latest.senderId !== ownId && latest.createdAt > start;
  return (
    <div className="atrium-hidden" aria-live="polite">
      {isNew && labels.newMessage(sender?.name ?? '', latest.text || labels.attachment)}
    </div>
  );
}
