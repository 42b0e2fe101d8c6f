import { CodeSignIn, GuestSignIn, PasskeySignIn, ProviderSignIn, SecondFactor } from '@atrium/chat-ui';
import { AtriumError, type SignInChallenge } from '@atrium/client';
import { useSession } from '@atrium/react';
import { type FormEvent, Fragment, type ReactNode, useId, useState } from 'react';
import { Logo } from './icons.tsx';

type Problems = Record<string, string[]>;

/**
 * Ways to sign in, in addition to the password: `code`, `guest`, `passkey`, or the name of a provider. The application
 * must permit them, which a client cannot find out.
 */
const METHODS: Record<string, ReactNode> = { code: <CodeSignIn />, guest: <GuestSignIn />, passkey: <PasskeySignIn /> };

const titleOf = (provider: string) => provider.charAt(0).toUpperCase() + provider.slice(1);

export function SignIn({ isExpired, methods }: { isExpired: boolean; methods: readonly string[] }) {
  const { signIn, signUp } = useSession();
  const [isNew, setNew] = useState(false);
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setBusy] = useState(false);
  const [challenge, setChallenge] = useState<SignInChallenge>();

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const [login, password, fullName] = [text('login'), text('password'), text('fullName')];
    setBusy(true);
    setProblems({});
    try {
      await (isNew ? signUp({ login, password, fullName }) : signIn({ login, password }));
    } catch (error) {
      if (error instanceof AtriumError && error.challenge) setChallenge(error.challenge);
      else setProblems(problemsOf(error));
      setBusy(false);
    }
  };

  if (challenge)
    return (
      <main className="entrance">
        <div className="card">
          <Logo />
          <h1>One more step</h1>
          <SecondFactor challenge={challenge} onCancel={() => setChallenge(undefined)} />
        </div>
      </main>
    );
  return (
    <main className="entrance">
      <div className="card">
        <Logo />
        <h1>{isNew ? 'Create your account' : 'Welcome back'}</h1>
        <p className="muted">
          {isExpired
            ? 'Your session has expired. Sign in again.'
            : isNew
              ? 'It takes ten seconds.'
              : 'Sign in to continue.'}
        </p>
        <form onSubmit={submit} noValidate={false}>
          {isNew && <Field name="fullName" label="Name" autoComplete="name" problems={problems.fullName} />}
          <Field name="login" label="Login" autoComplete="username" problems={problems.login} autoCapitalize="none" />
          <Field
            name="password"
            label="Password"
            type="password"
            autoComplete={isNew ? 'new-password' : 'current-password'}
            minLength={isNew ? 8 : undefined}
            hint={isNew ? 'At least 8 characters' : undefined}
            problems={problems.password}
          />
          {problems.form && (
            <p className="problem" role="alert">
              {problems.form.join(' ')}
            </p>
          )}
          <button type="submit" className="primary" disabled={isBusy}>
            {isNew ? 'Sign up' : 'Sign in'}
          </button>
        </form>
        {!isNew && methods.length > 0 && (
          <section className="other-ways" aria-label="Other ways to sign in">
            {methods.map((method) => (
              <Fragment key={method}>
                {METHODS[method] ?? <ProviderSignIn provider={method} label={`Continue with ${titleOf(method)}`} />}
              </Fragment>
            ))}
          </section>
        )}
        <p className="muted">
          {isNew ? 'Do you have an account?' : 'Are you new here?'}{' '}
          <button
            type="button"
            className="link"
            onClick={() => {
              setNew(!isNew);
              setProblems({});
            }}
          >
            {isNew ? 'Sign in instead' : 'Create an account'}
          </button>
        </p>
      </div>
    </main>
  );
}

interface FieldProps {
  name: string;
  label: string;
  type?: string;
  autoComplete: string;
  autoCapitalize?: string;
  minLength?: number | undefined;
  hint?: string | undefined;
  problems: string[] | undefined;
}

function Field({ name, label, hint, problems, ...input }: FieldProps) {
  const id = useId();
  const described = problems ? `${id}-problem` : hint ? `${id}-hint` : undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        required
        aria-invalid={problems !== undefined}
        aria-describedby={described}
        {...input}
      />
      {problems ? (
        <span className="problem" id={`${id}-problem`} role="alert">
          {label} {problems.join(', ')}
        </span>
      ) : (
        hint && (
          <span className="hint" id={`${id}-hint`}>
            {hint}
          </span>
        )
      )}
    </div>
  );
}

function problemsOf(error: unknown): Problems {
  if (!(error instanceof AtriumError)) throw error;
  if (error.code === 'UNAUTHENTICATED') return { form: ['Login or password is wrong.'] };
  if (error.code === 'UNREACHABLE') return { form: ['The service cannot be reached. Check your connection.'] };
  const known = ['fullName', 'login', 'password'].some((name) => error.fields[name]);
  return known ? error.fields : { form: [error.message] };
}
