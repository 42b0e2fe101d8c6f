import { DialogAvatar, DialogList, DialogProfile, EmptyState, Thread } from '@atrium/chat-ui';
import type { Dialog, User } from '@atrium/client';
import { useAtrium, useConnection, useDialogs, useOutbox, usePresence, useUser } from '@atrium/react';
import { useEffect, useState } from 'react';
import { AccountMenu } from './account-menu.tsx';
import { BackIcon, InfoIcon, Logo, OfflineIcon, PlusIcon, SearchIcon } from './icons.tsx';
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
  return id;
}

function open(id: string | undefined): void {
  location.hash = id ?? '';
}

/** The same function for each render, so that only changed dialogs render. */
const select = ({ id }: Dialog) => open(id);

export function Chat({ user }: { user: User }) {
  const openId = useOpenDialog();
  const [filter, setFilter] = useState('');
  const [isCreating, setCreating] = useState(false);
  const [isProfileOpen, setProfileOpen] = useState(false);
  const { dialogs } = useDialogs();
  const openPrivate = useOpenPrivate();
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
            aria-label="Search conversations and people"
            placeholder="Search"
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
        </div>
        <nav className="sidebar-list" aria-label="Conversations">
          <DialogList
            selectedId={openId}
            filter={filter}
            onSelect={select}
            onSelectUser={(found) => {
              setFilter('');
              void openPrivate(found);
            }}
            empty={
              <EmptyState title="No conversations yet" hint="Find people by their name, and write the first message.">
                <button type="button" className="primary" onClick={() => setCreating(true)}>
                  Find people
                </button>
              </EmptyState>
            }
          />
        </nav>
      </aside>
      <main className="main">
        {openId ? (
          <>
            <DialogHead dialog={dialog} onBack={() => open(undefined)} onProfile={() => setProfileOpen(true)} />
            <Thread key={openId} dialogId={openId} />
          </>
        ) : (
          <Welcome user={user} hasDialogs={dialogs.length > 0} onCreate={() => setCreating(true)} />
        )}
      </main>
      {isProfileOpen && openId && (
        <DialogProfile
          dialogId={openId}
          onClose={() => setProfileOpen(false)}
          onLeave={() => open(undefined)}
          onSelectUser={(member) => {
            setProfileOpen(false);
            void openPrivate(member);
          }}
        />
      )}
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

function useOpenPrivate() {
  const { chat } = useAtrium();
  return async ({ id }: User) => open((await chat.openPrivate(id)).id);
}

interface WelcomeProps {
  user: User;
  hasDialogs: boolean;
  onCreate: () => void;
}

function Welcome({ user, hasDialogs, onCreate }: WelcomeProps) {
  return (
    <div className="welcome">
      <Logo />
      <h2>Hello, {user.name.split(' ')[0]}</h2>
      <p className="muted">
        {hasDialogs ? 'Choose a conversation, or start a new one.' : 'This is where your conversations open.'}
      </p>
      {!hasDialogs && (
        <ol className="steps">
          <li>Press New conversation and choose one person, or several for a group.</li>
          <li>Write a message, and drop pictures and files onto the conversation.</li>
          <li>Turn on notifications in the menu of your account.</li>
        </ol>
      )}
      <button type="button" className="primary" onClick={onCreate}>
        New conversation
      </button>
    </div>
  );
}

interface DialogHeadProps {
  dialog: Dialog | undefined;
  onBack: () => void;
  onProfile: () => void;
}

function DialogHead({ dialog, onBack, onProfile }: DialogHeadProps) {
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
          <DialogAvatar dialog={dialog} isOnline={isOnline} />
          <div className="head-texts">
            <h2>{dialog.name}</h2>
            <p className={isOnline ? 'is-online' : 'muted'}>{detail ?? <Members ids={dialog.occupantIds} />}</p>
          </div>
          <button type="button" className="round" aria-label="Details" title="Details" onClick={onProfile}>
            <InfoIcon />
          </button>
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
