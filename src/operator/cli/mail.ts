import { type Command, Option } from 'commander';
import type { MailTemplateKind } from '../../generated/prisma/client.ts';
import { MailTemplateKind as Kinds } from '../../generated/prisma/enums.ts';
import { testMailServer } from '../../resolvers/mail/send-test.ts';
import {
  findMailTemplate,
  type MailTemplate,
  resetMailTemplate,
  updateMailTemplate,
} from '../../resolvers/mail/templates.ts';
import { administer, administerApplication } from './administer.ts';
import { applicationOption, readNamedFile } from './options.ts';

interface TemplateOptions {
  application: number;
  kind: MailTemplateKind;
  language?: string;
}

export function addMailCommands(program: Command): void {
  const mail = program.command('mail').description('check the mail server, and change the texts of mails');

  mail
    .command('test')
    .description('send a mail to an address, to check SMTP_URL and MAIL_FROM')
    .argument('<address>', 'email address that receives the mail')
    .action((address: string, _options, command: Command) =>
      administer(command, async (services) => {
        const { isAccepted, answer } = await testMailServer(address, services);
        if (!isAccepted) throw new Error(`the mail was not accepted: ${answer}`);
        const { server, folder } = services.mailer.destination;
        return { value: { to: address, sentTo: server ?? folder, answer } };
      }),
    );

  const kind = () => new Option('--kind <kind>', 'the mail').choices(Object.values(Kinds)).default(Kinds.passwordReset);

  const language = () => new Option('--language <tag>', 'texts for this language, such as de (default: all others)');

  mail
    .command('show')
    .description('show the texts of a mail')
    .addOption(applicationOption())
    .addOption(kind())
    .addOption(language())
    .action(({ application, kind, language }: TemplateOptions, command: Command) =>
      administerApplication(command, application, async () => ({
        value: present(await findMailTemplate(application, kind, language)),
      })),
    );

  mail
    .command('set')
    .description('replace the texts of a mail; without --html, it has plain text only')
    .addOption(applicationOption())
    .addOption(kind())
    .addOption(language())
    .requiredOption('--subject <text>', 'at most 200 characters')
    .requiredOption(
      '--text <file>',
      'file with the plain text, which must contain {{link}}, or {{code}} in mails with codes',
    )
    .option('--html <file>', 'file with the text for mail programs that show HTML')
    .action(
      (
        {
          application,
          kind,
          language,
          subject,
          ...files
        }: TemplateOptions & { subject: string; text: string; html?: string },
        command: Command,
      ) =>
        administerApplication(command, application, async (context) => {
          const text = await readNamedFile('--text', files.text);
          const html = files.html === undefined ? null : await readNamedFile('--html', files.html);
          return { value: present(await updateMailTemplate({ kind, language, subject, text, html }, context)) };
        }),
    );

  mail
    .command('reset')
    .description('use the texts of the service for a mail again')
    .addOption(applicationOption())
    .addOption(kind())
    .addOption(language())
    .action(({ application, kind, language }: TemplateOptions, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: present(await resetMailTemplate(kind, language, context)),
      })),
    );
}

function present({ kind, language, isDefault, updatedAt, subject, text, html }: MailTemplate) {
  return { kind, language, isDefault, updatedAt, subject, text, html };
}
