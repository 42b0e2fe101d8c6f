import { UserAvatar } from '@atrium/chat-ui';
import { AtriumError, type Dialog, type User } from '@atrium/client';
import { useDialogs, useUserSearch } from '@atrium/react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { SearchIcon } from './icons.tsx';

interface NewDialogProps {
  ownId: number;
  onClose: () => void;
  onOpen: (dialog: Dialog) => void;
}

/** Finds users: one opens a private dialog, several a group. */
export function NewDialog({ ownId, onClose, onOpen }: NewDialogProps) {
  const { openPrivate, createGroup } = useDialogs();
  const element = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<readonly User[]>([]);
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const { users, isLoading } = useUserSearch(text);
  useEffect(() => element.current?.showModal(), []);
  const isGroup = chosen.length > 1;
  const found = users.filter(({ id }) => id !== ownId);

  const toggle = (user: User) => {
    const isChosen = chosen.some(({ id }) => id === user.id);
    setChosen(isChosen ? chosen.filter(({ id }) => id !== user.id) : [...chosen, user]);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const ids = chosen.map(({ id }) => id);
      const title =
        name.trim() ||
        chosen
          .map((user) => user.name.split(' ')[0])
          .join(', ')
          .slice(0, 60);
      onOpen(await (isGroup ? createGroup(title, ids) : openPrivate(ids[0]!)));
    } catch (error) {
      setProblem(error instanceof AtriumError ? error.message : String(error));
    }
  };

  return (
    <dialog ref={element} className="modal" aria-labelledby="new-dialog" onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id="new-dialog">New conversation</h2>
        <div className="search">
          <SearchIcon />
          <input
            type="search"
            autoFocus
            aria-label="Find people"
            placeholder="Name or login"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <ul className="people" aria-label="People" aria-busy={isLoading}>
          {found.map((user) => (
            <li key={user.id}>
              <label className="person">
                <UserAvatar id={user.id} />
                <span className="person-texts">
                  <span>{user.name}</span>
                  <span className="muted">{user.login}</span>
                </span>
                <input
                  type="checkbox"
                  checked={chosen.some(({ id }) => id === user.id)}
                  onChange={() => toggle(user)}
                />
              </label>
            </li>
          ))}
          {found.length === 0 && (
            <li className="muted no-results">{isLoading ? 'Searching …' : 'No user has this name'}</li>
          )}
        </ul>
        {isGroup && (
          <div className="field">
            <label htmlFor="group-name">Name of the group</label>
            <input
              id="group-name"
              value={name}
              maxLength={60}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          </div>
        )}
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="modal-buttons">
          <button type="button" className="secondary" onClick={() => element.current?.close()}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={chosen.length === 0}>
            {isGroup ? `Create a group of ${chosen.length + 1}` : 'Open'}
          </button>
        </div>
      </form>
    </dialog>
  );
}
