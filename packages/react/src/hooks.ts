import type {
  AtriumClient,
  AtriumError,
  Dialog,
  DialogHandle,
  DialogsState,
  Fields,
  FileLink,
  OutboxEntry,
  RecordFilter,
  Records,
  RecordsState,
  SessionApi,
  SessionState,
  ThreadState,
  User,
} from '@atrium/client';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLive } from './live.ts';
import { useAtrium } from './provider.tsx';

type Connection = AtriumClient['connection'];

export type UsedSession = SessionState &
  Pick<
    SessionApi,
    | 'signUp'
    | 'signIn'
    | 'signInAsGuest'
    | 'signOut'
    | 'requestCode'
    | 'requestPasskey'
    | 'passkeys'
    | 'addPasskey'
    | 'providerPage'
    | 'isEmailVerified'
    | 'requestVerification'
    | 'verifyEmail'
  >;

/** Who is signed in, and functions to sign up, in and out. */
export function useSession(): UsedSession {
  const { session } = useAtrium();
  const state = useLive(session.state);
  return useMemo(
    () => ({
      ...state,
      signUp: (user) => session.signUp(user),
      signIn: (who) => session.signIn(who),
      signInAsGuest: () => session.signInAsGuest(),
      signOut: () => session.signOut(),
      requestCode: (email, options) => session.requestCode(email, options),
      requestPasskey: () => session.requestPasskey(),
      passkeys: () => session.passkeys(),
      addPasskey: (name, create) => session.addPasskey(name, create),
      providerPage: (page) => session.providerPage(page),
      isEmailVerified: () => session.isEmailVerified(),
      requestVerification: (options) => session.requestVerification(options),
      verifyEmail: (requested, code) => session.verifyEmail(requested, code),
    }),
    [state, session],
  );
}

export interface UsedDialogs extends DialogsState {
  loadMore: () => Promise<void>;
  openPrivate: (userId: number) => Promise<Dialog>;
  createGroup: (name: string, userIds: number[]) => Promise<Dialog>;
}

/** The list of dialogs, latest activity first. */
export function useDialogs(): UsedDialogs {
  const { chat } = useAtrium();
  const state = useLive(chat.list);
  return useMemo(
    () => ({
      ...state,
      loadMore: () => chat.loadMoreDialogs(),
      openPrivate: (userId) => chat.openPrivate(userId),
      createGroup: (name, userIds) => chat.createGroup(name, userIds),
    }),
    [state, chat],
  );
}

export type DialogActions = Pick<
  DialogHandle,
  | 'send'
  | 'edit'
  | 'delete'
  | 'react'
  | 'typing'
  | 'markRead'
  | 'retry'
  | 'discard'
  | 'loadOlder'
  | 'loadNewer'
  | 'jumpTo'
  | 'jumpToLatest'
>;

export interface UsedDialog extends Omit<ThreadState, 'typing'>, DialogActions {
  /** From the list of dialogs; undefined until it is loaded. */
  dialog: Dialog | undefined;
  /** Ids of the other users who are typing; `typing()` reports that this user does. */
  typingIds: readonly number[];
  connection: Connection;
}

/** The messages of a dialog and everything that a user can do with them. The functions stay the same. */
export function useDialog(id: string): UsedDialog {
  const { chat, connection } = useAtrium();
  const handle = chat.dialog(id);
  const { typing: typingIds, ...thread } = useLive(handle.thread);
  const state = useLive(connection);
  const dialog = useLive(chat.list, ({ dialogs }) => dialogs.find((one) => one.id === id));
  const isListed = useLive(chat.list, ({ status, isStale }) => status === 'ready' && !isStale);
  const loaded = useRef<DialogHandle | undefined>(undefined);
  useEffect(() => {
    // Once, because a dialog that the user leaves is no longer in the list.
    if (loaded.current === handle || !isListed) return;
    loaded.current = handle;
    if (!dialog) handle.load().catch(() => {});
  }, [handle, isListed, dialog]);
  const actions = useMemo(() => actionsOf(handle), [handle]);
  return { ...thread, ...actions, typingIds, dialog, connection: state };
}

function actionsOf(handle: DialogHandle): DialogActions {
  return {
    send: (content) => handle.send(content),
    edit: (messageId, text) => handle.edit(messageId, text),
    delete: (messageId, options) => handle.delete(messageId, options),
    react: (messageId, name, isOn) => handle.react(messageId, name, isOn),
    typing: () => handle.typing(),
    markRead: () => handle.markRead(),
    retry: (message) => handle.retry(message),
    discard: (message) => handle.discard(message),
    loadOlder: () => handle.loadOlder(),
    loadNewer: () => handle.loadNewer(),
    jumpTo: (messageId) => handle.jumpTo(messageId),
    jumpToLatest: () => handle.jumpToLatest(),
  };
}

/** Ids of the other users who type in a dialog. Each dialog needs a subscription of its own. */
export function useTyping(dialogId: string): readonly number[] {
  return useLive(useAtrium().chat.dialog(dialogId).typingIds);
}

export interface UsedMute {
  /** Undefined until it is loaded. */
  isMuted: boolean | undefined;
  mute: (isMuted: boolean) => Promise<void>;
}

/** Whether a dialog sends no pushes to this user. */
export function useMuted(dialogId: string): UsedMute {
  const { chat } = useAtrium();
  const handle = chat.dialog(dialogId);
  const [isMuted, setMuted] = useState<boolean>();
  useEffect(() => {
    let isMounted = true;
    handle.isMuted().then(
      (value) => isMounted && setMuted(value),
      () => {},
    );
    return () => {
      isMounted = false;
    };
  }, [handle]);
  const mute = useCallback(
    async (next: boolean) => {
      setMuted(next);
      await handle.mute(next).catch((error) => {
        setMuted(!next);
        throw error;
      });
    },
    [handle],
  );
  return { isMuted, mute };
}

/** Number of unread messages in all dialogs. */
export function useUnread(): number {
  return useLive(useAtrium().chat.unread);
}

/** Which of the users are online. */
export function usePresence(userIds: readonly number[]): ReadonlySet<number> {
  return useLive(useAtrium().chat.online(userIds));
}

/** A user; undefined until loaded. */
export function useUser(id: number): User | undefined {
  return useLive(useAtrium().users.get(id));
}

/** State of the live connection. */
export function useConnection(): Connection {
  return useLive(useAtrium().connection);
}

/** Messages that the service has not accepted yet, of all dialogs. */
export function useOutbox(): readonly OutboxEntry[] {
  return useLive(useAtrium().chat.outbox);
}

export interface UsedRecords<F extends Fields> extends RecordsState<F> {
  create: Records<F>['create'];
  update: Records<F>['update'];
  remove: (id: string) => Promise<void>;
}

/** Records of a class that match a filter. Filters are compared by their content. */
export function useRecords<F extends Fields = Fields>(className: string, filter: RecordFilter<F> = {}): UsedRecords<F> {
  const records = useAtrium<{ [name: string]: F }>().records(className);
  const state = useLive(records.live(filter));
  return useMemo(
    () => ({
      ...state,
      create: (fields, options) => records.create(fields, options),
      update: (id, fields) => records.update(id, fields),
      remove: (id) => records.delete(id),
    }),
    [state, records],
  );
}

/** Of the 15 minutes of an address. */
const RENEWED_MS = 10 * 60_000;
/** For example without a network. */
const RETRIED_MS = 15_000;

/**
 * The address of a file for images and links, replaced before it expires. Undefined until it is known, and for a file
 * that the user cannot read.
 */
export function useFileAddress(link: FileLink | undefined): string | undefined {
  const { files } = useAtrium();
  const [known, setKnown] = useState<{ of: string; url: string }>();
  const of = link && !link.isForeign ? link.url : undefined;
  useEffect(() => {
    if (of === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isMounted = true;
    const load = async () => {
      const address = await files.address({ url: of }).catch((error: AtriumError) => error);
      if (!isMounted) return;
      if (!('url' in address)) {
        if (address.code !== 'NOT_FOUND') timer = setTimeout(load, RETRIED_MS);
        return;
      }
      setKnown({ of, url: address.url });
      if (address.expiresAt) timer = setTimeout(load, RENEWED_MS);
    };
    void load();
    return () => {
      isMounted = false;
      clearTimeout(timer);
    };
  }, [files, of]);
  if (link?.isForeign) return link.url;
  return known?.of === of ? known?.url : undefined;
}
