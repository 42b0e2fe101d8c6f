import { AddPasskey, VerifyEmail } from '@atrium/chat-ui';
import { useSession, useUnread } from '@atrium/react';
import { useEffect } from 'react';
import { Chat } from './chat.tsx';
import { SignIn } from './sign-in.tsx';

const METHODS = (import.meta.env.VITE_SIGN_IN as string).split(',').filter((method) => method !== '');

export function App() {
  const session = useSession();
  if (session.status === 'restoring') return <div className="splash" role="status" aria-label="Loading" />;
  if (session.status === 'signedOut') return <SignIn isExpired={session.isExpired} methods={METHODS} />;
  return (
    <>
      <Title />
      {METHODS.includes('code') && <VerifyEmail />}
      {METHODS.includes('passkey') && <AddPasskey />}
      <Chat key={session.user.id} user={session.user} />
    </>
  );
}

/** The number of unread messages in the title of the tab. */
function Title() {
  const unread = useUnread();
  useEffect(() => {
    document.title = unread > 0 ? `(${unread}) Chat` : 'Chat';
  }, [unread]);
  return null;
}
