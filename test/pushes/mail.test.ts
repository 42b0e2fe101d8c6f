import { expect, onTestFinished, test } from 'vitest';
import { createMailer } from '../../src/gateways/mailer.ts';
import { MailGateway } from '../../src/gateways/push/mail.ts';
import { running, SENDER, useApp } from '../support/app.ts';
import { startMailServer } from '../support/mail-server.ts';
import { mailsTo } from '../support/mails.ts';
import { deliveriesTo, sendEvent, sentEvent, subscribeDevice } from '../support/pushes.ts';
import { createUser } from '../support/users.ts';

useApp();

test('a push reaches the mailbox that the user has now', async () => {
  const user = await createUser({ email: 'reader@example.org' });
  const mailbox = await subscribeDevice(user, 'email', { client_identification_sequence: 'x' });
  const event = { push_type: 'email', name: 'Lunch\ttoday', user: { ids: user.id } };
  expect(await sentEvent(await sendEvent(event))).toMatchObject({ recipients: 1, delivered: 1 });
  const [mail] = await mailsTo('reader@example.org');
  expect(mail).toContain('Subject: Lunch today\r\n');
  expect(mail!.endsWith('\r\n\r\nhello world!\r\n')).toBe(true);
  expect(await deliveriesTo(mailbox)).toMatchObject([{ status: 'delivered', channel: 'email', answer: 'handed over' }]);
});

test('a user without an address gets none', async () => {
  const user = await createUser();
  const mailbox = await subscribeDevice(user, 'email', { client_identification_sequence: 'x' });
  expect(await sentEvent(await sendEvent({ push_type: 'email', user: { ids: user.id } }))).toMatchObject({ failed: 1 });
  expect(await deliveriesTo(mailbox)).toMatchObject([{ answer: 'the user has no address' }]);
});

test('over a mail server it goes there, and waits while that is away', async () => {
  const server = await startMailServer();
  const settings = { from: SENDER, dataDir: running.dataDir, now: running.now };
  const mailer = (host: string, timeLimit?: number) => {
    const made = createMailer({ ...settings, smtpUrl: `smtp://${host}`, timeLimit });
    onTestFinished(() => made.close());
    return new MailGateway(made);
  };
  const push = {
    id: '',
    channel: 'email' as const,
    address: 'reader@example.org',
    keys: null,
    bundleIdentifier: null,
    content: { apple: {}, isBackground: false, google: {}, browser: '', mail: { subject: 'Hi', text: 'Lunch?\n' } },
    collapseKey: '',
    isReplaced: false,
    expiresAt: running.now(),
  };
  expect(await mailer(server.host).send(push)).toEqual({ kind: 'delivered', answer: 'handed over' });
  expect(server.taken).toMatchObject([{ from: SENDER.address, to: ['reader@example.org'] }]);
  expect(server.taken[0]!.text).toContain('\r\n\r\nLunch?\r\n');
  expect(await mailer('127.0.0.1:1', 500).send(push)).toMatchObject({ kind: 'later' });
  expect(await mailer(server.host).send({ ...push, address: 'a@x.org, b@x.org' })).toMatchObject({ kind: 'refused' });
});
