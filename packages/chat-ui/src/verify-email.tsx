import type { RequestedCode } from '@atrium/client';
import { useSession } from '@atrium/react';
import { useEffect, useState } from 'react';
import { CodeForm } from './code-form.tsx';
import { useLabels } from './labels.ts';
import { sentenceOf } from './sign-in-errors.ts';

/** A banner for users whose address is not verified, with which they verify it. Nothing for others. */
export function VerifyEmail() {
  const labels = useLabels();
  const { user, isEmailVerified, requestVerification, verifyEmail } = useSession();
  const [state, setState] = useState<'unknown' | 'unverified' | 'done'>('unknown');
  const [requested, setRequested] = useState<RequestedCode>();
  const [problem, setProblem] = useState<string>();
  const email = user?.email;
  useEffect(() => {
    if (!email) return;
    let isMounted = true;
    isEmailVerified().then(
      (isVerified) => isMounted && setState(isVerified === false ? 'unverified' : 'unknown'),
      () => {},
    );
    return () => {
      isMounted = false;
    };
  }, [email, isEmailVerified]);
  if (!email || state === 'unknown') return null;
  const request = async () => setRequested(await requestVerification({ language: labels.locale }));
  return (
    <section className="atrium-banner" aria-label={labels.email}>
      {state === 'done' ? (
        <p role="status">{labels.verified}</p>
      ) : requested ? (
        <CodeForm
          hint={labels.verifySent}
          action={labels.verify}
          onCode={async (code) => {
            await verifyEmail(requested, code);
            setState('done');
          }}
          onResend={request}
        />
      ) : (
        <>
          <p>{labels.verifyEmail}</p>
          <button
            type="button"
            className="atrium-secondary"
            onClick={() => request().catch((error) => setProblem(sentenceOf(error, labels)))}
          >
            {labels.verify}
          </button>
          {problem !== undefined && (
            <p className="atrium-problem" role="alert">
              {problem}
            </p>
          )}
        </>
      )}
    </section>
  );
}
