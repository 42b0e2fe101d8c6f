import { Avatar, DialogList, Thread } from '@atrium/chat-ui';
import type { Dialog, User } from '@atrium/client';
import { useConnection, useDialogs, useOutbox, usePresence, useUser } from '@atrium/react';
import { useEffect, useState } from 'react';
import { AccountMenu } from './account-menu.tsx';
import { BackIcon, Logo, OfflineIcon, PlusIcon, SearchIcon } from './icons.tsx';
import { NewDialog } from './new-dialog.tsx';

const read = () => location.hash.slice(1) || undefined;

/** The open dialog is in the address, so that a reload and the back button keep it. */
function useOpenDialog() {
  const [id, setId] = useState(read);
  useEffect(() => {
    const follow = () => setId(read());
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return [
    id,
    (next: string | undefined) => {
      location.hash = next ?? '';
    },
  ] as const;
}

export function Chat({ user }: { user: User }) {
  const [openId, open] = useOpenDialog();
  const [filter, setFilter] = useState('');
  const [isCreating, setCreating] = useState(false);
  const { dialogs } = useDialogs();
  const dialog = dialogs.find(({ id }) => id === openId);
  return (
    <div className={`layout${openId ? ' has-open' : ''}`}>
      <Banner />
      <aside className="sidebar" aria-label="Conversations">
        <header className="sidebar-head">
          <h1>Chats</h1>
          <button
            type="button"
            className="round"
            aria-label="New conversation"
            title="New conversation"
            onClick={() => setCreating(true)}
          >
            <PlusIcon />
          </button>
          <AccountMenu user={user} />
        </header>
        <div className="search">
          <SearchIcon />
          <input
            type="search"
            aria-label="Search conversations"
            placeholder="Search"
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
        </div>
        <nav className="sidebar-list" aria-label="Conversations">
          <DialogList
            selectedId={openId}
            filter={filter}
            onSelect={({ id }) => open(id)}
            empty={
              filter ? (
                'No conversation has this name'
              ) : (
                <>
                  <p>No conversations yet.</p>
                  <button type="button" className="primary" onClick={() => setCreating(true)}>
                    Find people
                  </button>
                </>
              )
            }
          />
        </nav>
      </aside>
      <main className="main">
        {openId ? (
          <>
            <DialogHead dialog={dialog} onBack={() => open(undefined)} />
            <Thread key={openId} dialogId={openId} />
          </>
        ) : (
          <div className="welcome">
            <Logo />
            <h2>Hello, {user.name.split(' ')[0]}</h2>
            <p className="muted">Choose a conversation, or start a new one.</p>
            <button type="button" className="primary" onClick={() => setCreating(true)}>
              New conversation
            </button>
          </div>
        )}
      </main>
      {isCreating && (
        <NewDialog
          ownId={user.id}
          onClose={() => setCreating(false)}
          onOpen={(created) => {
            setCreating(false);
            open(created.id);
          }}
        />
      )}
    </div>
  );
}

function DialogHead({ dialog, onBack }: { dialog: Dialog | undefined; onBack: () => void }) {
  const peerId = dialog?.peerId ?? null;
  const online = usePresence(peerId === null ? [] : [peerId]);
  const isOnline = peerId !== null && online.has(peerId);
  const detail = peerId !== null ? (isOnline ? 'Online' : 'Offline') : undefined;
  return (
    <header className="head">
      <button type="button" className="round back" aria-label="Back to the conversations" onClick={onBack}>
        <BackIcon />
      </button>
      {dialog && (
        <>
          <Avatar
            name={dialog.name}
            seed={peerId === null ? dialog.id : `user ${peerId}`}
            photo={dialog.photo}
            isOnline={isOnline}
          />
          <div className="head-texts">
            <h2>{dialog.name}</h2>
            <p className={isOnline ? 'is-online' : 'muted'}>{detail ?? <Members ids={dialog.occupantIds} />}</p>
          </div>
        </>
      )}
    </header>
  );
}

function Members({ ids }: { ids: readonly number[] }) {
  const [first, second, third] = [useUser(ids[0] ?? 0), useUser(ids[1] ?? 0), useUser(ids[2] ?? 0)];
  const names = [first, second, third].flatMap((user) => user?.name.split(' ')[0] ?? []);
  const more = ids.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Says that the page shows the past, and how many messages wait. */
function Banner() {
  const connection = useConnection();
  const outbox = useOutbox();
  const [isLate, setLate] = useState(false);
  // Reconnecting for a moment is normal.
  useEffect(() => {
    if (connection === 'open') return setLate(false);
    const timer = setTimeout(() => setLate(true), 1_500);
    return () => clearTimeout(timer);
  }, [connection]);
  const waiting = outbox.filter(({ state }) => state === 'pending').length;
  return (
    <div className="banner-place" role="status">
      {isLate && (
        <div className="banner">
          <OfflineIcon />
          <span>
            You are offline.{' '}
            {waiting > 0
              ? `${waiting} ${waiting === 1 ? 'message' : 'messages'} will be sent when you are back.`
              : 'Messages you write are sent when you are back.'}
          </span>
        </div>
      )}
    </div>
  );
}
