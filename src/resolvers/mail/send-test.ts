import { findAdministrator } from '../../administration/administrators/rows.ts';
import { appendEntry } from '../../administration/audit/entries.ts';
import type { Context, Services } from '../../context.ts';
import { type Mail, type Mailer, MailRefusedError, MailUnavailableError } from '../../gateways/mailer.ts';
import type { MailTemplateKind } from '../../generated/prisma/client.ts';
import { administratorOf, type IdentifiedViewer } from '../../lib/access.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { isMailAddress } from '../../lib/mail-address.ts';
import { renderMail, sampleValues } from './render.ts';

export interface MailTest {
  isAccepted: boolean;
  /** Of the mail server, or why it was not reached. */
  answer: string;
}

type MailServices = Pick<Services, 'mailer' | 'consoleUrl' | 'resetPageUrl'>;
type TestContext = MailServices & Pick<Context, 'meter'> & { viewer: IdentifiedViewer };

const NO_ADDRESS = 'EMAIL_INVALID';
const ONLY_OWN = 'NOT_OWN_ADDRESS';

/**
 * Reports what the mail server responds, also if it refuses the mail.
 * @param sample sends this mail of the application instead of a short text, only to the administrator who asks for it:
 *    its texts are free, and its sender is that of all applications
 * @throws {InvalidFieldsError} no mail address, or a sample for another person
 */
export async function testMail(
  given: string | null | undefined,
  sample: MailTemplateKind | null | undefined,
  context: TestContext,
): Promise<MailTest> {
  const { viewer, mailer, meter } = context;
  const administrator = administratorOf(viewer);
  const own = administrator && (await findAdministrator(administrator.id)).email;
  const to = given?.trim() || own || '';
  if (!isMailAddress(to)) throw new InvalidFieldsError({ to: [NO_ADDRESS] });
  if (sample && to.toLowerCase() !== own?.toLowerCase()) throw new InvalidFieldsError({ to: [ONLY_OWN] });
  const content = sample ? await sampleOf(sample, context) : plainTest(context);
  await meter?.count('testMail');
  const { applicationId, actor } = viewer;
  const after = { sample: sample ?? null };
  if (actor) await appendEntry({ applicationId, action: 'create', subject: 'TestMail', subjectId: to, after }, actor);
  return sendTest(to, content, mailer);
}

/** For the operator, without an application. @throws {InvalidFieldsError} no mail address */
export function testMailServer(to: string, services: MailServices): Promise<MailTest> {
  return sendTest(to.trim(), plainTest(services), services.mailer);
}

async function sendTest(to: string, content: Omit<Mail, 'to'>, mailer: Mailer): Promise<MailTest> {
  try {
    const answer = await mailer.send({ to, ...content });
    return { isAccepted: true, answer: mailer.destination.server === undefined ? 'Written to a file' : answer };
  } catch (error) {
    if (error instanceof MailRefusedError) throw new InvalidFieldsError({ to: [NO_ADDRESS] });
    if (!(error instanceof MailUnavailableError)) throw error;
    return { isAccepted: false, answer: error.answer ?? error.message };
  }
}

async function sampleOf(kind: MailTemplateKind, context: TestContext) {
  const { applicationId } = context.viewer;
  return renderMail(applicationId, kind, await sampleValues(applicationId, context));
}

function plainTest({ consoleUrl }: MailServices) {
  const text = `Hello,\n\nthis mail shows that Atrium can send mails.\n\nSent from ${consoleUrl()}\n`;
  return { subject: 'Test of the mail server', text };
}
