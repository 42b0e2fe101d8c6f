import { AtriumError, type ChatContact } from '@atrium/client';
import { useContacts, usePresence, useUser } from '@atrium/react';
import { useState } from 'react';
import { UserAvatar } from './avatar.tsx';
import { useLabels } from './labels.ts';

export interface ContactsProps {
  /** The user chose a contact. */
  onSelect?: (userId: number) => void;
}

/** The contacts of the user. Requests of others come first, to accept or decline. */
export function Contacts({ onSelect }: ContactsProps) {
  const labels = useLabels();
  const { contacts, accept, reject, remove } = useContacts();
  const [problem, setProblem] = useState<string>();
  const attempt = (change: Promise<void>) => {
    setProblem(undefined);
    change.catch((error) => setProblem(error instanceof AtriumError ? error.message : String(error)));
  };
  const requests = contacts.filter(({ pending }) => pending);
  const others = contacts.filter(({ pending }) => !pending);
  const isSeen = ({ subscription }: ChatContact) => subscription === 'TO' || subscription === 'BOTH';
  const online = usePresence(others.filter(isSeen).map(({ userId }) => userId));
  return (
    <div className="atrium-contacts">
      {problem && (
        <p className="atrium-problem" role="alert">
          {problem}
        </p>
      )}
      {requests.length > 0 && (
        <ul className="atrium-members" aria-label={labels.contactRequests}>
          {requests.map(({ userId }) => (
            <Contact key={userId} userId={userId}>
              <button type="button" className="atrium-button" onClick={() => attempt(accept(userId))}>
                {labels.accept}
              </button>
              <button type="button" className="atrium-button atrium-danger" onClick={() => attempt(reject(userId))}>
                {labels.decline}
              </button>
            </Contact>
          ))}
        </ul>
      )}
      <ul className="atrium-members" aria-label={labels.contacts}>
        {others.map((contact) => (
          <Contact
            key={contact.userId}
            userId={contact.userId}
            isOnline={online.has(contact.userId)}
            hint={contact.requested ? labels.requested : undefined}
            onSelect={onSelect}
          >
            <button
              type="button"
              className="atrium-button atrium-danger"
              onClick={() => attempt(remove(contact.userId))}
            >
              {labels.removeContact}
            </button>
          </Contact>
        ))}
      </ul>
      {contacts.length === 0 && <p className="atrium-hint">{labels.noContacts}</p>}
    </div>
  );
}

interface ContactProps {
  userId: number;
  isOnline?: boolean;
  hint?: string | undefined;
  onSelect?: ((userId: number) => void) | undefined;
  children: React.ReactNode;
}

function Contact({ userId, isOnline = false, hint, onSelect, children }: ContactProps) {
  const labels = useLabels();
  const name = useUser(userId)?.name ?? '…';
  return (
    <li className="atrium-member">
      <UserAvatar id={userId} isOnline={isOnline} />
      <span className="atrium-row-texts">
        {onSelect ? (
          <button type="button" onClick={() => onSelect(userId)}>
            {name}
          </button>
        ) : (
          <span>{name}</span>
        )}
        {isOnline && <span className="atrium-hidden">, {labels.online}</span>}
        {hint && <span className="atrium-hint">{hint}</span>}
      </span>
      {children}
    </li>
  );
}
