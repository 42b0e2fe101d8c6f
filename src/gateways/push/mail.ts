import { type Mailer, MailRefusedError, MailRejectedError, MailUnavailableError } from '../mailer.ts';
import type { Circuit, Push, PushGateway, PushOutcome } from './gateway.ts';

const CIRCUIT: Circuit = { key: 'mail', isShared: false };

/** Pushes to mailboxes, through the service's own mailer. */
export class MailGateway implements PushGateway {
  readonly concurrency = 5;
  readonly #mailer: Mailer;

  constructor(mailer: Mailer) {
    this.#mailer = mailer;
  }

  async send({ address, content }: Push): Promise<PushOutcome> {
    try {
      await this.#mailer.send({ to: address, ...content.mail });
      return { kind: 'delivered', answer: 'handed over' };
    } catch (error) {
      if (error instanceof MailRefusedError || error instanceof MailRejectedError)
        return { kind: 'refused', answer: error.message };
      if (!(error instanceof MailUnavailableError)) return { kind: 'later', answer: 'the mailer failed' };
      return { kind: 'later', answer: error.message, isUnreachable: !error.isReached };
    }
  }

  circuitOf(): Circuit {
    return CIRCUIT;
  }

  close(): void {}
}
