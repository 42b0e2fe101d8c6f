import { MailAwayError, type Mailer, MailRefusedError } from '../mailer.ts';
import type { Push, PushGateway, PushOutcome } from './gateway.ts';

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
      if (error instanceof MailRefusedError) return { kind: 'refused', answer: error.message };
      return { kind: 'later', answer: error instanceof MailAwayError ? error.message : 'the mailer failed' };
    }
  }

  close(): void {}
}
