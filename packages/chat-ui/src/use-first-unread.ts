import type { Dialog, Message } from '@atrium/client';
import type { UsedDialog } from '@atrium/react';
import { useEffect, useMemo, useRef, useState } from 'react';

/** Those before are not searched for. */
const MAX_UNREAD = 1_000;
const SCROLL_FRAMES = 8;

interface Unread {
  /** When the dialog was opened, which also marks it as read. */
  count: number;
  latestId: string;
}

/** The first message that was unread when the dialog was opened. */
export function useFirstUnread(
  { messages, status, isStale, hasOlder, isLoadingOlder, loadOlder, dialog }: UsedDialog,
  userId: number | undefined,
  scrollTo: (key: string) => void,
) {
  const opened = useRef<Unread | undefined>(undefined);
  if (!opened.current && status === 'ready' && !isStale) opened.current = unreadAt(messages, hasOlder, dialog, userId);
  const unread = opened.current;
  const key = useMemo(() => unread && keyOf(messages, unread, userId, hasOlder), [messages, unread, userId, hasOlder]);
  const [isSearching, setSearching] = useState(false);
  const [isSeen, setSeen] = useState(false);

  const scroll = useRef(scrollTo);
  useEffect(() => {
    scroll.current = scrollTo;
  });
  useEffect(() => {
    if (!isSearching) return;
    if (!key) {
      if (!isLoadingOlder) void loadOlder().catch(() => setSearching(false));
      return;
    }
    // Again, because heights are estimates until the messages are rendered.
    let frames = SCROLL_FRAMES;
    const approach = () => {
      scroll.current(key);
      if (--frames > 0) frame = requestAnimationFrame(approach);
      else {
        setSearching(false);
        setSeen(true);
      }
    };
    let frame = requestAnimationFrame(approach);
    return () => cancelAnimationFrame(frame);
  }, [isSearching, key, isLoadingOlder, loadOlder]);

  const count = unread?.count ?? 0;
  return { key, count: isSeen ? 0 : count, jump: () => setSearching(true), setSeen: () => setSeen(true) };
}

function unreadAt(
  messages: readonly Message[],
  hasOlder: boolean,
  dialog: Dialog | undefined,
  userId: number | undefined,
): Unread {
  const others = messages.filter(({ senderId }) => senderId !== userId);
  // Public groups have no read marks.
  const unread = others.filter(({ readIds }) => readIds.length > 0 && !readIds.includes(userId ?? 0));
  const isMore = hasOlder && unread.length === others.length && unread.length > 0;
  const count = isMore ? Math.max(unread.length, dialog?.unreadCount ?? 0) : unread.length;
  return { count, latestId: messages.at(-1)?.id ?? '' };
}

/** Undefined until it is loaded. */
function keyOf(
  messages: readonly Message[],
  { count, latestId }: Unread,
  userId: number | undefined,
  hasOlder: boolean,
): string | undefined {
  let last: string | undefined;
  let left = Math.min(count, MAX_UNREAD);
  for (let index = messages.length - 1; index >= 0 && left > 0; index--) {
    const { id, key, senderId } = messages[index]!;
    if (senderId === userId || id > latestId) continue;
    last = key;
    left--;
  }
  return left > 0 && hasOlder ? undefined : last;
}
