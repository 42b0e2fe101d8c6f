import { useSession } from '@atrium/react';
import { useEffect } from 'react';
import { useLabels } from './labels.ts';
import { SecondFactor } from './second-factor.tsx';
import { Problem, useRun } from './use-run.tsx';

export interface ProviderSignInProps {
  /** Name of the issuer in the application, such as `google`. */
  provider: string;
  /** On the button, for example `Continue with Google`. */
  label: string;
}

/**
 * Sends the browser to a provider, and signs in when it returns. The return addresses of the issuer need that of the
 * page, without query. Browsers hash the verifier only on pages with HTTPS or at `localhost`.
 */
export function ProviderSignIn({ provider, label }: ProviderSignInProps) {
  const labels = useLabels();
  const { providerPage, signIn } = useSession();
  const { problem, isBusy, challenge, run, say, forget } = useRun(labels.providerFailed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is read once, when the page has loaded
  useEffect(() => {
    const returned = takeReturn(provider);
    if (returned?.code) void run(() => signIn({ providerCode: returned }));
    else if (returned) say(labels.providerFailed);
  }, [provider]);
  if (challenge) return <SecondFactor challenge={challenge} onCancel={forget} />;
  const begin = async () => {
    const pending = { provider, state: randomText(), verifier: randomText() };
    const codeChallenge = await hashed(pending.verifier);
    const returnTo = location.origin + location.pathname;
    const page = await providerPage({ provider, returnTo, codeChallenge, state: pending.state });
    sessionStorage.setItem(PENDING, JSON.stringify(pending));
    location.assign(page);
  };
  return (
    <div className="atrium-sign-in">
      <Problem text={problem} />
      <button type="button" className="atrium-secondary" disabled={isBusy} onClick={() => void run(begin)}>
        {label}
      </button>
    </div>
  );
}

/** Only the tab that has begun can finish. */
const PENDING = 'atrium-provider-sign-in';

/** What the provider has sent back to this tab, once; undefined if it was not asked. @returns without code if it refused */
function takeReturn(provider: string): { code: string; verifier: string } | undefined {
  const address = new URL(location.href);
  const { searchParams: query } = address;
  const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? '{}');
  if (pending.provider !== provider || pending.state !== query.get('state')) return undefined;
  sessionStorage.removeItem(PENDING);
  const code = query.get('provider_code') ?? '';
  for (const name of ['provider_code', 'state', 'error']) query.delete(name);
  history.replaceState(history.state, '', address);
  return { code, verifier: pending.verifier };
}

const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

const hashed = async (text: string) =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
