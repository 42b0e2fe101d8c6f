import { UserAvatar } from '@atrium/chat-ui';
import type { User } from '@atrium/client';
import { useOutbox, useSession } from '@atrium/react';
import { useEffect, useRef, useState } from 'react';
import { usePush } from './push.ts';
import { useTheme } from './theme.ts';

export function AccountMenu({ user }: { user: User }) {
  const { signOut } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [theme, setTheme] = useTheme();
  const push = usePush();
  const unsent = useOutbox().length;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: Event) => {
      const isKey = event instanceof KeyboardEvent;
      if (isKey ? event.key === 'Escape' : !box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, [isOpen]);
  const leave = async () => {
    if (unsent > 0 && !window.confirm('Messages that are not sent yet will be discarded. Sign out?')) return;
    await signOut();
    for (const name of (await globalThis.caches?.keys()) ?? []) await caches.delete(name);
    // The page still has data of the user in memory and in its address.
    if (navigator.onLine) location.replace('/');
  };
  return (
    <div className="account" ref={box}>
      <button
        type="button"
        className="account-button"
        aria-label={`Account of ${user.name}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <UserAvatar id={user.id} />
      </button>
      {isOpen && (
        <div className="menu">
          <p className="menu-name">
            <strong>{user.name}</strong>
            <span className="muted">{user.login}</span>
          </p>
          <fieldset className="themes">
            <legend>Appearance</legend>
            {(['light', 'dark', 'system'] as const).map((name) => (
              <label key={name}>
                <input type="radio" name="theme" checked={theme === name} onChange={() => setTheme(name)} />
                <span>{name[0]!.toUpperCase() + name.slice(1)}</span>
              </label>
            ))}
          </fieldset>
          {push.isSupported && (
            <button type="button" className="menu-item" onClick={push.toggle} aria-pressed={push.isOn}>
              {push.isOn ? 'Turn off notifications' : 'Notify me about new messages'}
            </button>
          )}
          {push.problem && (
            <p className="problem" role="alert">
              {push.problem}
            </p>
          )}
          <button type="button" className="menu-item" onClick={leave}>
            Sign out
          </button>
        </div>
      )}
    </div>
  );
}
