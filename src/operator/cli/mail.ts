import { join } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { administer } from './administer.ts';

export function addMailCommands(program: Command): void {
  program
    .command('mail')
    .description('check the mail server')
    .command('test')
    .description('send a mail to an address, to check SMTP_URL and MAIL_FROM')
    .argument('<address>', 'email address that receives the mail')
    .action((address: string, _options, command: Command) =>
      administer(command, async ({ mailer, consoleUrl }) => {
        const text = `Hello,\n\nthis mail shows that Atrium can send mails.\n\nSent from ${consoleUrl()}\n`;
        await mailer.send({ to: address, subject: 'Test of the mail server', text });
        const { smtpUrl, dataDir } = readConfig();
        return { value: { to: address, sentTo: smtpUrl ? new URL(smtpUrl).host : join(dataDir, 'mail') } };
      }),
    );
}
