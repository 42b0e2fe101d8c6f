import type { Dialog, User } from '@atrium/client';
import {
  useAtrium,
  useDialogSearch,
  useDialogs,
  useLive,
  usePresence,
  useSession,
  useTyping,
  useUser,
  useUserSearch,
} from '@atrium/react';
import { type KeyboardEvent, memo, type ReactNode, useMemo } from 'react';
import { DialogAvatar, UserAvatar } from './avatar.tsx';
import { Boundary } from './boundary.tsx';
import { EmptyState } from './empty-state.tsx';
import { useLabels } from './labels.ts';
import { shortTime } from './times.ts';
import { TypingDots, useNames } from './typing.tsx';
import { useVisible } from './use-visible.ts';

/** Dialogs that show who types. Each needs a subscription, and those with activity are the first. */
const MAX_TYPING = 20;

export interface DialogListProps {
  selectedId?: string | undefined;
  onSelect: (dialog: Dialog) => void;
  /** Only dialogs whose name contains this text, also those that are not loaded yet. */
  filter?: string;
  /** With it, a `filter` finds people, too. */
  onSelectUser?: (user: User) => void;
  /** Shown if there are no dialogs. */
  empty?: ReactNode;
}

/** The dialogs of the user. Arrow keys move between them. */
export function DialogList({ selectedId, onSelect, filter = '', onSelectUser, empty }: DialogListProps) {
  const labels = useLabels();
  const { status, dialogs, hasMore, loadMore } = useDialogs();
  const text = filter.trim().toLowerCase();
  const found = useDialogSearch(hasMore ? text : '');
  const shown = text ? matches([...found.dialogs, ...dialogs], text) : dialogs;
  const peers = useMemo(() => dialogs.flatMap(({ peerId }) => peerId ?? []), [dialogs]);
  const online = usePresence(peers);
  const end = useVisible(() => void loadMore().catch(() => {}));
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('.atrium-dialog')];
    buttons[buttons.indexOf(document.activeElement as HTMLElement) + step]?.focus();
    event.preventDefault();
  };
  if (status === 'loading' && dialogs.length === 0) return <DialogSkeleton label={labels.loading} />;
  if (shown.length === 0 && !text) {
    return (
      <div className="atrium-empty">{empty ?? <EmptyState title={labels.noDialogs} hint={labels.noDialogsHint} />}</div>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the buttons in it
    <div onKeyDown={move}>
      {shown.length === 0 && !found.isLoading && (
        <p className="atrium-empty" role="status">
          {labels.noDialogFound}
        </p>
      )}
      {shown.length > 0 && (
        <ul className="atrium-dialogs" aria-label={labels.dialogs}>
          {shown.map((dialog, index) => (
            <li key={dialog.id}>
              <Boundary
                of={dialog}
                fallback={() => (
                  <button type="button" className="atrium-dialog atrium-unreadable" onClick={() => onSelect(dialog)}>
                    {labels.dialogFailed}
                  </button>
                )}
              >
                <DialogItem
                  dialog={dialog}
                  isSelected={dialog.id === selectedId}
                  isOnline={dialog.peerId !== null && online.has(dialog.peerId)}
                  hasTyping={index < MAX_TYPING}
                  onSelect={onSelect}
                />
              </Boundary>
            </li>
          ))}
          {hasMore && !text && <li ref={end} className="atrium-end" aria-hidden="true" />}
        </ul>
      )}
      {text && onSelectUser && <People text={text} besides={shown} onSelect={onSelectUser} />}
    </div>
  );
}

/** Of equal dialogs, the last. */
function matches(dialogs: readonly Dialog[], text: string): readonly Dialog[] {
  const unique = new Map(dialogs.map((dialog) => [dialog.id, dialog]));
  return [...unique.values()].filter(({ name }) => name.toLowerCase().includes(text));
}

interface DialogItemProps {
  dialog: Dialog;
  isSelected: boolean;
  isOnline: boolean;
  hasTyping: boolean;
  onSelect: (dialog: Dialog) => void;
}

const DialogItem = memo(function DialogItem({ dialog, isSelected, isOnline, hasTyping, onSelect }: DialogItemProps) {
  const labels = useLabels();
  const { chat } = useAtrium();
  const { name, lastMessage, unreadCount, id } = dialog;
  const draftCount = useLive(
    chat.outbox,
    (entries) => entries.filter((entry) => entry.dialogId === id && entry.state === 'failed').length,
  );
  const last = lastMessage ? <LastMessage dialog={dialog} /> : labels.noMessages;
  return (
    <button
      type="button"
      className="atrium-dialog"
      aria-current={isSelected ? 'true' : undefined}
      onClick={() => onSelect(dialog)}
    >
      <DialogAvatar dialog={dialog} isOnline={isOnline} />
      <span className="atrium-dialog-texts">
        <span className="atrium-dialog-line">
          <span className="atrium-dialog-name">{name}</span>
          {isOnline && <span className="atrium-hidden">, {labels.online}</span>}
          {lastMessage && <time className="atrium-dialog-time">{shortTime(lastMessage.sentAt, labels)}</time>}
        </span>
        <span className="atrium-dialog-line">
          <span className="atrium-dialog-last">{hasTyping ? <TypingOr dialog={dialog}>{last}</TypingOr> : last}</span>
          {draftCount > 0 && <span className="atrium-failed-badge">!</span>}
          {unreadCount > 0 && (
            <span className="atrium-badge">
              <span aria-hidden="true">{unreadCount > 99 ? '99+' : unreadCount}</span>
              <span className="atrium-hidden">{labels.unread(unreadCount)}</span>
            </span>
          )}
        </span>
      </span>
    </button>
  );
});

function TypingOr({ dialog: { id, peerId }, children }: { dialog: Dialog; children: ReactNode }) {
  const labels = useLabels();
  const userIds = useTyping(id);
  const names = useNames(userIds);
  if (userIds.length === 0) return children;
  return (
    <span className="atrium-dialog-typing">
      <TypingDots />
      {labels.typingNow(peerId === null ? names.join(', ') : undefined)}
    </span>
  );
}

function LastMessage({ dialog: { lastMessage, type } }: { dialog: Dialog }) {
  const labels = useLabels();
  const { user } = useSession();
  const sender = useUser(lastMessage?.senderId ?? 0);
  const text = lastMessage?.text || labels.attachment;
  if (lastMessage?.senderId === user?.id) return `${labels.you}: ${text}`;
  return type === 'PRIVATE' || !sender ? text : `${sender.name}: ${text}`;
}

interface PeopleProps {
  text: string;
  /** Their users are not repeated. */
  besides: readonly Dialog[];
  onSelect: (user: User) => void;
}

function People({ text, besides, onSelect }: PeopleProps) {
  const labels = useLabels();
  const { user } = useSession();
  const { users } = useUserSearch(text);
  const people = users.filter(({ id }) => id !== user?.id && !besides.some(({ peerId }) => peerId === id));
  if (people.length === 0) return null;
  return (
    <section aria-label={labels.people}>
      <h3 className="atrium-heading">{labels.people}</h3>
      <ul className="atrium-dialogs">
        {people.map((person) => (
          <li key={person.id}>
            <button type="button" className="atrium-dialog" onClick={() => onSelect(person)}>
              <UserAvatar id={person.id} />
              <span className="atrium-dialog-texts">
                <span className="atrium-dialog-name">{person.name}</span>
                <span className="atrium-dialog-last">{person.login}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function DialogSkeleton({ label }: { label: string }) {
  return (
    <div className="atrium-dialogs" role="status" aria-label={label}>
      {[70, 50, 60, 40].map((width) => (
        <div key={width} className="atrium-dialog">
          <span className="atrium-avatar atrium-skeleton" />
          <span className="atrium-dialog-texts">
            <span className="atrium-skeleton" style={{ width: `${width}%` }} />
            <span className="atrium-skeleton" style={{ width: `${width + 20}%` }} />
          </span>
        </div>
      ))}
    </div>
  );
}
