import { AtriumError, graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';
import { useEffect, useRef } from 'react';
import { clientOf, mutate, SERVICE } from './clients.ts';

const SIGN_IN_OPTIONS = graphql(`mutation ConsolePasskeySignInOptions { passkeySignInOptions }`);
const SIGN_IN = graphql(`mutation ConsolePasskeySignIn($passkey: PasskeyAssertionInput!) {
  signInAdministratorWithPasskey(passkey: $passkey) { id }
}`);
const CONFIRMATION_OPTIONS = graphql(`mutation ConsolePasskeyConfirmationOptions { passkeyConfirmationOptions }`);
const CONFIRM = graphql(`mutation ConsolePasskeyConfirm($passkey: PasskeyAssertionInput!) {
  confirmAdministrator(passkey: $passkey) { id }
}`);
const CREATE_OPTIONS = graphql(`mutation ConsoleCreatePasskeyOptions { createPasskeyOptions }`);
const CREATE = graphql(`mutation ConsoleCreatePasskey($name: String!, $passkey: PasskeyRegistrationInput!) {
  createPasskey(name: $name, passkey: $passkey) { id }
}`);

/** Shorter than the lifetime of a challenge. */
const AUTOFILL_MS = 4 * 60_000;

/** Why the browser offers no passkeys at this address; undefined if it does. */
export const passkeyObstacle = obstacleAt(location);

function obstacleAt({ hostname, port, protocol }: Location): string | undefined {
  if (/^(?:127\.[\d.]+|\[::1\])$/.test(hostname)) {
    const address = `${protocol}//localhost${port && `:${port}`}/console`;
    return t`Browsers have no passkeys for IP addresses. Sign in at ${address} to add one.`;
  }
  if (/^(?:[\d.]+|\[.*\])$/.test(hostname)) {
    return t`Browsers have no passkeys for IP addresses. Sign in at the host name of the service to add one.`;
  }
  if (!isSecureContext) return t`Passkeys need HTTPS. An operator sets the HTTPS address with CONSOLE_ORIGIN.`;
  return browserSupportsWebAuthn() ? undefined : t`This browser does not support passkeys.`;
}

export async function signInWithPasskey(): Promise<void> {
  await sendSignIn(await startAuthentication({ optionsJSON: await signInOptions() }));
}

export async function confirmWithPasskey(): Promise<void> {
  const options = (await clientOf(SERVICE).mutate(CONFIRMATION_OPTIONS, {})).passkeyConfirmationOptions;
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  const passkey = assertionOf(await startAuthentication({ optionsJSON }));
  await clientOf(SERVICE).mutate(CONFIRM, { passkey });
}

export async function createPasskey(name: string): Promise<void> {
  const { createPasskeyOptions } = await mutate(SERVICE, CREATE_OPTIONS, {});
  const optionsJSON = createPasskeyOptions as PublicKeyCredentialCreationOptionsJSON;
  const { id, response } = await startRegistration({ optionsJSON });
  const { clientDataJSON, attestationObject, transports = null } = response;
  await mutate(SERVICE, CREATE, { name, passkey: { id, clientDataJSON, attestationObject, transports } });
}

/**
 * Offers passkeys among the suggestions of the field for the email address.
 * @param isActive false while another request for a passkey is open, because a browser has only one
 */
export function usePasskeyAutofill(isActive: boolean, onSignedIn: () => void, onError: (error: Error) => void): void {
  const handlers = useRef({ onSignedIn, onError });
  handlers.current = { onSignedIn, onError };
  useEffect(() => {
    if (!isActive || passkeyObstacle) return;
    let isMounted = true;
    const offer = async () => {
      if (document.hidden || !(await browserSupportsWebAuthnAutofill())) return;
      const passkey = await autofilled().catch(() => undefined);
      if (!isMounted || !passkey) return;
      await sendSignIn(passkey).then(handlers.current.onSignedIn, handlers.current.onError);
    };
    // In development, React mounts twice.
    const start = setTimeout(offer);
    const repeat = setInterval(offer, AUTOFILL_MS);
    return () => {
      isMounted = false;
      clearTimeout(start);
      clearInterval(repeat);
      WebAuthnAbortService.cancelCeremony();
    };
  }, [isActive]);
}

async function autofilled(): Promise<AuthenticationResponseJSON> {
  return startAuthentication({ optionsJSON: await signInOptions(), useBrowserAutofill: true });
}

async function signInOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { passkeySignInOptions } = await clientOf(SERVICE).mutate(SIGN_IN_OPTIONS, {});
  return passkeySignInOptions as PublicKeyCredentialRequestOptionsJSON;
}

async function sendSignIn(response: AuthenticationResponseJSON): Promise<void> {
  await clientOf(SERVICE).mutate(SIGN_IN, { passkey: assertionOf(response) });
}

function assertionOf({ id, response }: AuthenticationResponseJSON) {
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response;
  return { id, clientDataJSON, authenticatorData, signature, userHandle };
}

/** What happened and what to do; undefined for errors of the service. */
export function passkeySentence(error: Error): string | undefined {
  if (error instanceof AtriumError) return undefined;
  if (error.name === 'InvalidStateError') return t`This device already has a passkey for your account.`;
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') {
    return t`The browser received no passkey. Try again, or choose another device.`;
  }
  return undefined;
}
