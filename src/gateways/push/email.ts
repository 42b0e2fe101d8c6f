import { type Mailer, MailRefusedError, MailRejectedError, MailUnavailableError } from '../mailer.ts';
import type { Circuit, Push, PushContent, PushGateway, PushOutcome } from './gateway.ts';
import type { PushProvider } from './provider.ts';
import { decodePayload, encodePlainPayload, isPlainObject } from './stored-message.ts';

export const email: PushProvider = {
  name: 'email',
  description: "The service's own mailer.",
  // Only API keys may send mail, because a user can sign up with another person's address.
  channels: { email: { isForKeys: true } },
  address: 'email',
  storedMessage: encodePlainPayload,
  connect: ({ mailer }) => new EmailGateway(mailer),
};

const CIRCUIT: Circuit = { key: 'email', isShared: false };

export class EmailGateway implements PushGateway {
  readonly traffic = 'mails';
  readonly concurrency = 5;
  readonly #mailer: Mailer;

  constructor(mailer: Mailer) {
    this.#mailer = mailer;
  }

  async send({ address, content }: Push): Promise<PushOutcome> {
    try {
      await this.#mailer.send({ to: address, subject: oneLine(content.title), text: `${emailText(content)}\n` });
      return { kind: 'delivered', answer: 'accepted by the mailer' };
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

export function emailText(content: PushContent): string {
  if (!('stored' in content)) return content.text;
  const { object, text } = decodePayload(content.stored);
  const alert = isPlainObject(object?.aps) ? object.aps.alert : undefined;
  const message = object?.message ?? (isPlainObject(alert) ? alert.body : alert);
  return typeof message === 'string' ? message : text;
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim();
}
