import type { Dialog } from '@atrium/client';
import { useAtrium, useDialogs, useLive, usePresence, useSession, useUser } from '@atrium/react';
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { Avatar } from './avatar.tsx';
import { Boundary } from './boundary.tsx';
import { useLabels } from './labels.ts';
import { shortTime } from './times.ts';

export interface DialogListProps {
  selectedId?: string | undefined;
  onSelect: (dialog: Dialog) => void;
  /** Only dialogs whose name contains this text. */
  filter?: string;
  /** Shown if there are no dialogs. */
  empty?: ReactNode;
}

/** The dialogs of the user. Arrow keys move between them. */
export function DialogList({ selectedId, onSelect, filter = '', empty }: DialogListProps) {
  const labels = useLabels();
  const { status, dialogs, hasMore, loadMore } = useDialogs();
  const text = filter.trim().toLowerCase();
  const shown = text ? dialogs.filter(({ name }) => name.toLowerCase().includes(text)) : dialogs;
  const peers = useMemo(() => dialogs.flatMap(({ peerId }) => peerId ?? []), [dialogs]);
  const online = usePresence(peers);
  const end = useEndOfList(hasMore ? loadMore : undefined);
  const move = (event: KeyboardEvent<HTMLUListElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...event.currentTarget.querySelectorAll('button')];
    buttons[buttons.indexOf(document.activeElement as HTMLButtonElement) + step]?.focus();
    event.preventDefault();
  };
  if (status === 'loading' && dialogs.length === 0) return <DialogSkeleton label={labels.loading} />;
  if (shown.length === 0) return <div className="atrium-empty">{empty ?? labels.noDialogs}</div>;
  return (
    <ul className="atrium-dialogs" aria-label={labels.dialogs} onKeyDown={move}>
      {shown.map((dialog) => (
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
              onSelect={onSelect}
            />
          </Boundary>
        </li>
      ))}
      {hasMore && <li ref={end} className="atrium-end" aria-hidden="true" />}
    </ul>
  );
}

interface DialogItemProps {
  dialog: Dialog;
  isSelected: boolean;
  isOnline: boolean;
  onSelect: (dialog: Dialog) => void;
}

function DialogItem({ dialog, isSelected, isOnline, onSelect }: DialogItemProps) {
  const labels = useLabels();
  const { chat } = useAtrium();
  const { name, lastMessage, unreadCount, peerId, id, photo } = dialog;
  const draftCount = useLive(
    chat.outbox,
    (entries) => entries.filter((entry) => entry.dialogId === id && entry.state === 'failed').length,
  );
  return (
    <button
      type="button"
      className="atrium-dialog"
      aria-current={isSelected ? 'true' : undefined}
      onClick={() => onSelect(dialog)}
    >
      <Avatar name={name} seed={peerId === null ? id : `user ${peerId}`} photo={photo} isOnline={isOnline} />
      <span className="atrium-dialog-texts">
        <span className="atrium-dialog-line">
          <span className="atrium-dialog-name">{name}</span>
          {isOnline && <span className="atrium-hidden">, {labels.online}</span>}
          {lastMessage && <time className="atrium-dialog-time">{shortTime(lastMessage.sentAt, labels)}</time>}
        </span>
        <span className="atrium-dialog-line">
          <span className="atrium-dialog-last">
            {lastMessage ? <LastMessage dialog={dialog} /> : labels.noMessages}
          </span>
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
}

function LastMessage({ dialog: { lastMessage, type } }: { dialog: Dialog }) {
  const labels = useLabels();
  const { user } = useSession();
  const sender = useUser(lastMessage?.senderId ?? 0);
  const text = lastMessage?.text || labels.attachment;
  if (lastMessage?.senderId === user?.id) return `${labels.you}: ${text}`;
  return type === 'PRIVATE' || !sender ? text : `${sender.name}: ${text}`;
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

/** Calls `onEnd` when the element becomes visible. */
function useEndOfList(onEnd: (() => Promise<void>) | undefined) {
  const latest = useRef(onEnd);
  useEffect(() => {
    latest.current = onEnd;
  });
  return useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) void latest.current?.().catch(() => {});
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}
