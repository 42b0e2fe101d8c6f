import type { CDPSession, Page } from 'playwright-core';

/** A platform authenticator that verifies its user without a dialog. */
export async function addAuthenticator(page: Page): Promise<Authenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
    },
  });
  return new Authenticator(session, authenticatorId);
}

export class Authenticator {
  readonly #session: CDPSession;
  readonly #id: string;

  constructor(session: CDPSession, id: string) {
    this.#session = session;
    this.#id = id;
  }

  /** Answers requests while `act` runs, as a person does who touches the sensor. */
  async while(act: () => Promise<unknown>): Promise<void> {
    await this.#set(true);
    await act();
    await this.#set(false);
  }

  async #set(enabled: boolean): Promise<void> {
    await this.#session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: this.#id, enabled });
  }

  /** The same passkeys in another page. */
  async copyTo(other: Authenticator): Promise<void> {
    const { credentials } = await this.#session.send('WebAuthn.getCredentials', { authenticatorId: this.#id });
    for (const credential of credentials) {
      const copied = { ...credential, signCount: credential.signCount + 100 };
      await other.#session.send('WebAuthn.addCredential', { authenticatorId: other.#id, credential: copied });
    }
  }

  async verifiesUser(isUserVerified: boolean): Promise<void> {
    await this.#session.send('WebAuthn.setUserVerified', { authenticatorId: this.#id, isUserVerified });
  }
}
