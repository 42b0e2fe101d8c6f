import type { RequestedCode } from '@atrium/client';
import { useSession } from '@atrium/react';
import { type FormEvent, useId, useState } from 'react';
import { CodeForm } from './code-form.tsx';
import { useLabels } from './labels.ts';
import { SecondFactor } from './second-factor.tsx';
import { Problem, useRun } from './use-run.tsx';

/** Login or email address, and password. */
export function PasswordSignIn() {
  const labels = useLabels();
  const { signIn } = useSession();
  const id = useId();
  const { problem, isBusy, challenge, run, forget } = useRun(labels.signInWrong);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [login, password] = [String(form.get('login')).trim(), String(form.get('password'))];
    void run(() => signIn(login.includes('@') ? { email: login, password } : { login, password }));
  };
  if (challenge) return <SecondFactor challenge={challenge} onCancel={forget} />;
  return (
    <form className="atrium-sign-in" onSubmit={submit}>
      <label htmlFor={`${id}-login`}>{labels.login}</label>
      <input id={`${id}-login`} name="login" autoComplete="username" autoCapitalize="none" required />
      <label htmlFor={`${id}-password`}>{labels.password}</label>
      <input id={`${id}-password`} name="password" type="password" autoComplete="current-password" required />
      <Problem text={problem} />
      <button type="submit" className="atrium-primary" disabled={isBusy}>
        {labels.signIn}
      </button>
    </form>
  );
}

export interface CodeSignInProps {
  /** Of the mail. Default: that of the labels. */
  language?: string;
}

/** Mails a code, and asks for it. The application needs the setting `emailSignIn`. */
export function CodeSignIn({ language }: CodeSignInProps) {
  const labels = useLabels();
  const { requestCode, signIn } = useSession();
  const id = useId();
  const [email, setEmail] = useState('');
  const [requested, setRequested] = useState<RequestedCode>();
  const { problem, isBusy, challenge, run, demand, forget } = useRun();
  const request = async () => setRequested(await requestCode(email.trim(), { language: language ?? labels.locale }));
  if (challenge) {
    const back = () => {
      setRequested(undefined);
      forget();
    };
    return <SecondFactor challenge={challenge} onCancel={back} />;
  }
  if (requested) {
    return (
      <>
        <CodeForm
          hint={labels.codeSent(email)}
          action={labels.signIn}
          onCode={async (code) => {
            await signIn({ emailCode: { token: requested.token, code } }).catch(demand);
          }}
          onResend={request}
        />
        <button type="button" className="atrium-sign-in-link" onClick={() => setRequested(undefined)}>
          {labels.otherEmail}
        </button>
      </>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(request);
  };
  return (
    <form className="atrium-sign-in" onSubmit={submit}>
      <label htmlFor={id}>{labels.email}</label>
      <input
        id={id}
        type="email"
        autoComplete="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        required
      />
      <Problem text={problem} />
      <button type="submit" className="atrium-primary" disabled={isBusy}>
        {labels.sendCode}
      </button>
    </form>
  );
}

/** Signs in without credentials. The application needs the setting `guestDays`. */
export function GuestSignIn() {
  const labels = useLabels();
  const { signInAsGuest } = useSession();
  const { problem, isBusy, run } = useRun();
  return (
    <div className="atrium-sign-in">
      <Problem text={problem} />
      <button type="button" className="atrium-secondary" disabled={isBusy} onClick={() => void run(signInAsGuest)}>
        {labels.guest}
      </button>
    </div>
  );
}
