import type { Services } from '../../context.ts';
import { type Mail, type Mailer, MailRefusedError, MailUnavailableError } from '../../gateways/mailer.ts';
import type { MailTemplateKind } from '../../generated/prisma/client.ts';
import type { OfApplication } from '../../lib/access.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { renderMail, sampleValues } from './render.ts';

export interface MailTest {
  isAccepted: boolean;
  /** Of the mail server, or why it was not reached. */
  answer: string;
}

type MailServices = Pick<Services, 'mailer' | 'consoleUrl' | 'resetPageUrl'>;

/**
 * Reports what the mail server responds, also if it refuses the mail.
 * @param sample sends this mail of the application instead of a short text
 * @throws {InvalidFieldsError} no mail address
 */
export async function testMail(
  to: string,
  sample: MailTemplateKind | null | undefined,
  context: MailServices & { viewer: OfApplication },
): Promise<MailTest> {
  return sendTest(to, sample ? await sampleOf(sample, context) : plainTest(context), context.mailer);
}

/** For the operator, without an application. @throws {InvalidFieldsError} no mail address */
export function testMailServer(to: string, services: MailServices): Promise<MailTest> {
  return sendTest(to, plainTest(services), services.mailer);
}

async function sendTest(to: string, content: Omit<Mail, 'to'>, mailer: Mailer): Promise<MailTest> {
  try {
    const answer = await mailer.send({ to: to.trim(), ...content });
    return { isAccepted: true, answer: mailer.destination.server === undefined ? 'Written to a file' : answer };
  } catch (error) {
    if (error instanceof MailRefusedError) throw new InvalidFieldsError({ to: ['should look like an email address'] });
    if (!(error instanceof MailUnavailableError)) throw error;
    return { isAccepted: false, answer: error.answer ?? error.message };
  }
}

async function sampleOf(kind: MailTemplateKind, context: MailServices & { viewer: OfApplication }) {
  const { applicationId } = context.viewer;
  return renderMail(applicationId, kind, await sampleValues(applicationId, context));
}

function plainTest({ consoleUrl }: MailServices) {
  const text = `Hello,\n\nthis mail shows that Atrium can send mails.\n\nSent from ${consoleUrl()}\n`;
  return { subject: 'Test of the mail server', text };
}
