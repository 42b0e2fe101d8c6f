import type { Services } from '../../context.ts';

export interface MailSettings {
  /** Undefined: mails are written to files. */
  server: string | undefined;
  sender: string;
  resetPage: string;
}

export function findMailSettings({ mailer, resetPageUrl }: Pick<Services, 'mailer' | 'resetPageUrl'>): MailSettings {
  const { server, sender } = mailer.destination;
  const { name, address } = sender;
  return { server, sender: name === '' ? address : `${name} <${address}>`, resetPage: resetPageUrl() };
}
