import { AtriumError, type SignInChallenge } from '@atrium/client';
import { useSession } from '@atrium/react';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useLabels } from './labels.ts';
import { sentenceOf } from './sign-in-errors.ts';

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
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => input.current?.focus(), []);
  const send = async (answer: () => Promise<Omit<Answer, 'token'>>, refused: string) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn({ answer: { token, ...(await answer()) } });
    } catch (error) {
      setProblem(problemOf(error, labels, refused));
    }
    setBusy(false);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get('code'));
    void send(async () => ({ code }), labels.codeWrong);
  };
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
      {problem !== undefined && (
        <p className="atrium-problem" role="alert">
          {problem}
        </p>
      )}
      {hasCodes && (
        <button type="submit" className="atrium-primary" disabled={isBusy}>
          {labels.signIn}
        </button>
      )}
      {methods.includes('PASSKEY') && isPasskeyBrowser() && (
        <button
          type="button"
          className="atrium-secondary"
          disabled={isBusy}
          onClick={() => void send(async () => ({ passkey: await signedBy(passkeyOptions) }), labels.passkeyFailed)}
        >
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
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  if (!isPasskeyBrowser()) return null;
  const run = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { token, passkeyOptions } = await requestPasskey();
      await signIn({ answer: { token, passkey: await signedBy(passkeyOptions) } });
    } catch (error) {
      setProblem(problemOf(error, labels, labels.passkeyFailed));
    }
    setBusy(false);
  };
  return (
    <div className="atrium-sign-in">
      {problem !== undefined && (
        <p className="atrium-problem" role="alert">
          {problem}
        </p>
      )}
      <button type="button" className="atrium-secondary" disabled={isBusy} onClick={() => void run()}>
        {labels.passkey}
      </button>
    </div>
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

/** A person who closes the dialog of the browser has done nothing wrong. */
function problemOf(error: unknown, labels: Parameters<typeof sentenceOf>[1], refused: string): string | undefined {
  if (error instanceof AtriumError) return sentenceOf(error, labels, refused);
  return (error as Error).name === 'NotAllowedError' ? undefined : refused;
}
