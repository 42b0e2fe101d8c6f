import { PasswordSignIn } from '@atrium/chat-ui';
import { AtriumError } from '@atrium/client';
import { AtriumProvider, useSession } from '@atrium/react';
import { type FormEvent, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Backend } from './atrium.ts';

/** Shows visitors how to sign in and up. The chat kit has more ways: passkeys, mailed codes, providers, guests. */
export function showAccount(place: HTMLElement, atrium: Backend): void {
  createRoot(place).render(
    <AtriumProvider atrium={atrium}>
      <Account />
    </AtriumProvider>,
  );
}

function Account() {
  const { status } = useSession();
  const [isNew, setNew] = useState(false);
  if (status !== 'signedOut') return null;
  return (
    <>
      <h2>{isNew ? 'Create your account' : 'Welcome'}</h2>
      {isNew ? <SignUp /> : <PasswordSignIn />}
      <button type="button" className="quiet" onClick={() => setNew(!isNew)}>
        {isNew ? 'Sign in instead' : 'Create an account'}
      </button>
    </>
  );
}

function SignUp() {
  const { signUp } = useSession();
  const [problem, setProblem] = useState('');
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    try {
      await signUp({ login: String(form.get('login')).trim(), password: String(form.get('password')) });
    } catch (error) {
      setProblem(textOfError(error));
    }
  };
  return (
    <form className="sign-up" onSubmit={submit}>
      <label>
        Login <input name="login" autoComplete="username" autoCapitalize="none" required />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="new-password" minLength={8} required />
      </label>
      <p role="alert">{problem}</p>
      <button type="submit">Sign up</button>
    </form>
  );
}

export function textOfError(error: unknown): string {
  if (!(error instanceof AtriumError)) throw error;
  const fields = Object.entries(error.fields).map(([field, texts]) => `${field} ${texts.join(', ')}`);
  return fields.join('; ') || error.message;
}
