import type { SignInChallenge } from '@atrium/client';
import { useSession } from '@atrium/react';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useLabels } from './labels.ts';
import { Problem, useRun } from './use-run.tsx';

export interface SecondFactorProps {
  challenge: SignInChallenge;
  onCancel: () => void;
}

/** Asks for what the user has set up: a code of the app, a recovery code, or a passkey. */
export function SecondFactor({ challenge: { token, methods, passkeyOptions }, onCancel }: SecondFactorProps) {
  const labels = useLabels();
  const { signIn } = useSession();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { problem, isBusy, run } = useRun(labels.passkeyFailed);
  useEffect(() => input.current?.focus(), []);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get('code'));
    void run(() => signIn({ answer: { token, code } }), labels.codeWrong);
  };
  const sign = async () => signIn({ answer: { token, passkey: await signedBy(passkeyOptions) } });
  const hasCodes = methods.some((method) => method !== 'PASSKEY');
  return (
    <form className="atrium-sign-in" onSubmit={submit}>
      {hasCodes && (
        <>
          <p className="atrium-hint" id={`${id}-hint`}>
            {labels.secondFactor}
          </p>
          <label htmlFor={id}>{labels.factorCode}</label>
          <input
            ref={input}
            id={id}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            aria-describedby={`${id}-hint`}
            required
          />
        </>
      )}
      <Problem text={problem} />
      {hasCodes && (
        <button type="submit" className="atrium-primary" disabled={isBusy}>
          {labels.signIn}
        </button>
      )}
      {methods.includes('PASSKEY') && isPasskeyBrowser() && (
        <button type="button" className="atrium-secondary" disabled={isBusy} onClick={() => void run(sign)}>
          {labels.passkey}
        </button>
      )}
      <button type="button" className="atrium-sign-in-link" onClick={onCancel}>
        {labels.back}
      </button>
    </form>
  );
}

/** Signs in with a passkey alone. The application needs `passkeyOrigins`; other browsers show nothing. */
export function PasskeySignIn() {
  const labels = useLabels();
  const { requestPasskey, signIn } = useSession();
  const { problem, isBusy, run } = useRun(labels.passkeyFailed);
  if (!isPasskeyBrowser()) return null;
  const sign = async () => {
    const { token, passkeyOptions } = await requestPasskey();
    await signIn({ answer: { token, passkey: await signedBy(passkeyOptions) } });
  };
  return (
    <div className="atrium-sign-in">
      <Problem text={problem} />
      <button type="button" className="atrium-secondary" disabled={isBusy} onClick={() => void run(sign)}>
        {labels.passkey}
      </button>
    </div>
  );
}

export interface AddPasskeyProps {
  /** Distinguishes the passkeys of the user. Default: the operating system. */
  name?: string;
}

/** A banner for users without a passkey, with which they add one. Nothing for others. */
export function AddPasskey({ name = navigator.platform }: AddPasskeyProps) {
  const labels = useLabels();
  const { user, passkeys, addPasskey } = useSession();
  const [state, setState] = useState<'unknown' | 'none' | 'added'>('unknown');
  const { problem, isBusy, run } = useRun(labels.passkeyNotAdded);
  const userId = user?.id;
  useEffect(() => {
    if (userId === undefined || !isPasskeyBrowser()) return;
    let isMounted = true;
    passkeys().then(
      ({ length }) => isMounted && setState(length === 0 ? 'none' : 'unknown'),
      () => {},
    );
    return () => {
      isMounted = false;
    };
  }, [userId, passkeys]);
  if (state === 'unknown') return null;
  const add = async () => {
    await addPasskey(name, createdFor);
    setState('added');
  };
  return (
    <section className="atrium-banner" aria-label={labels.addPasskey}>
      {state === 'added' ? (
        <p role="status">{labels.passkeyAdded}</p>
      ) : (
        <>
          <p>{labels.offerPasskey}</p>
          <button type="button" className="atrium-secondary" disabled={isBusy} onClick={() => void run(add)}>
            {labels.addPasskey}
          </button>
          <Problem text={problem} />
        </>
      )}
    </section>
  );
}

type Answer = Extract<Parameters<ReturnType<typeof useSession>['signIn']>[0], { answer: unknown }>['answer'];

const isPasskeyBrowser = () =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

async function signedBy(options: unknown): Promise<NonNullable<Answer['passkey']>> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  const { id, response } = credential.toJSON() as AuthenticationResponseJSON;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return { id, clientDataJSON, authenticatorData, signature, userHandle: userHandle ?? null };
}

async function createdFor(options: unknown) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  const { id, response } = credential.toJSON() as RegistrationResponseJSON;
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, clientDataJSON, attestationObject, transports };
}
