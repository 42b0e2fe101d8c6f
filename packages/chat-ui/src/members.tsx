import type { Dialog, User } from '@atrium/client';
import { useAtrium, usePresence, useSession, useUser } from '@atrium/react';
import { useId, useState } from 'react';
import { UserAvatar } from './avatar.tsx';
import { MoreIcon } from './icons.tsx';
import { useLabels } from './labels.ts';

/** A group has up to 10,000 members. */
const FIRST = 50;

/** Shows why a change failed. */
export type Attempt = (change: Promise<unknown>) => Promise<boolean>;

interface MembersProps {
  dialog: Dialog;
  attempt: Attempt;
  onSelectUser: ((user: User) => void) | undefined;
}

/** The members of a group: the owner, admins, then the others. */
export function Members({ dialog, attempt, onSelectUser }: MembersProps) {
  const labels = useLabels();
  const [isComplete, setComplete] = useState(false);
  const { ownerId, adminIds, occupantIds } = dialog;
  const rank = (id: number) => (id === ownerId ? 0 : adminIds.includes(id) ? 1 : 2);
  const all = [...occupantIds].sort((a, b) => rank(a) - rank(b));
  const shown = isComplete ? all : all.slice(0, FIRST);
  const online = usePresence(shown);
  return (
    <section aria-label={labels.members(all.length)}>
      <ul className="atrium-members">
        {shown.map((id) => (
          <Member
            key={id}
            id={id}
            dialog={dialog}
            isOnline={online.has(id)}
            attempt={attempt}
            onSelectUser={onSelectUser}
          />
        ))}
      </ul>
      {shown.length < all.length && (
        <button type="button" className="atrium-row" onClick={() => setComplete(true)}>
          {labels.showAll(all.length)}
        </button>
      )}
    </section>
  );
}

function Member({ id, dialog, isOnline, attempt, onSelectUser }: MembersProps & { id: number; isOnline: boolean }) {
  const labels = useLabels();
  const { chat } = useAtrium();
  const { user: own } = useSession();
  const user = useUser(id);
  const controls = useId();
  const [isOpen, setOpen] = useState(false);
  const { ownerId, adminIds } = dialog;
  const isAdmin = adminIds.includes(id);
  const isOwner = own?.id === ownerId;
  const mayRemove = isOwner || adminIds.includes(own?.id ?? 0);
  const isOther = id !== own?.id;
  const name = user?.name ?? '…';
  const change = (changes: Parameters<ReturnType<typeof chat.dialog>['update']>[0]) => {
    setOpen(false);
    void attempt(chat.dialog(dialog.id).update(changes));
  };
  return (
    <li className="atrium-member">
      <UserAvatar id={id} isOnline={isOnline} />
      <span className="atrium-row-texts">
        {isOther && user && onSelectUser ? (
          <button type="button" onClick={() => onSelectUser(user)}>
            {name}
          </button>
        ) : (
          <span>{isOther ? name : `${name} (${labels.you})`}</span>
        )}
        {isOnline && <span className="atrium-hidden">, {labels.online}</span>}
        <span className="atrium-hint">{user?.login}</span>
      </span>
      {id === ownerId && <span className="atrium-role">{labels.owner}</span>}
      {isAdmin && id !== ownerId && <span className="atrium-role">{labels.admin}</span>}
      {isOther && mayRemove && id !== ownerId && (
        <button
          type="button"
          className="atrium-icon-button"
          aria-label={labels.manage(name)}
          aria-expanded={isOpen}
          aria-controls={controls}
          onClick={() => setOpen(!isOpen)}
        >
          <MoreIcon />
        </button>
      )}
      <div className="atrium-manage" id={controls} hidden={!isOpen}>
        {isOwner && (
          <button
            type="button"
            className="atrium-button"
            onClick={() => change(isAdmin ? { removeAdminIds: [id] } : { addAdminIds: [id] })}
          >
            {isAdmin ? labels.removeAdmin : labels.makeAdmin}
          </button>
        )}
        <button type="button" className="atrium-button atrium-danger" onClick={() => change({ removeUserIds: [id] })}>
          {labels.removeMember}
        </button>
      </div>
    </li>
  );
}
