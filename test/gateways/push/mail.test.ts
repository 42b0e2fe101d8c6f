import { expect, onTestFinished, test } from 'vitest';
import { createMailer } from '../../../src/gateways/mailer.ts';
import { EmailGateway } from '../../../src/gateways/push/email.ts';
import { running, SAMPLE_TIME, SENDER, useApp } from '../../support/app/app.ts';
import { startMailServer } from '../../support/fakes/mail-server.ts';
import { mailsTo } from '../../support/fixtures/mails.ts';
import { deliveriesTo, sendEvent, sentEvent, subscribeDevice } from '../../support/fixtures/pushes.ts';
import { createUser } from '../../support/fixtures/users.ts';

useApp();

const PUSH = {
  id: '',
  channel: 'email' as const,
  address: 'reader@example.org',
  keys: null,
  bundleIdentifier: null,
  content: { title: 'Hi', stored: 'Lunch?' },
  collapseKey: '',
  isReplaced: false,
  expiresAt: SAMPLE_TIME,
};

test('a push goes to the current address of the user', async () => {
  const user = await createUser({ email: 'reader@example.org' });
  const mailbox = await subscribeDevice(user, 'email', { client_identification_sequence: 'x' });
  const event = { push_type: 'email', name: 'Lunch\ttoday', user: { ids: user.id } };
  expect(await sentEvent(await sendEvent(event))).toMatchObject({ recipients: 1, delivered: 1 });
  const [mail] = await mailsTo('reader@example.org');
  expect(mail).toContain('Subject: Lunch today\r\n');
  expect(mail!.endsWith('\r\n\r\nhello world!\r\n')).toBe(true);
  expect(await deliveriesTo(mailbox)).toMatchObject([
    { status: 'delivered', channel: 'email', answer: 'accepted by the mailer' },
  ]);
});

test('a user without an address receives no push', async () => {
  const user = await createUser();
  const mailbox = await subscribeDevice(user, 'email', { client_identification_sequence: 'x' });
  expect(await sentEvent(await sendEvent({ push_type: 'email', user: { ids: user.id } }))).toMatchObject({ failed: 1 });
  expect(await deliveriesTo(mailbox)).toMatchObject([{ answer: 'the user has no address' }]);
});

test.each([
  ['MAIL FROM', 550, 'refused'],
  ['RCPT TO', 550, 'refused'],
  ['RCPT TO', 553, 'refused'],
  ['DATA', 554, 'refused'],
  ['RCPT TO', 450, 'later'],
  ['DATA', 451, 'later'],
  ['MAIL FROM', 530, 'later'],
])('a %s answered with %i counts as %s', async (command, responseCode, kind) => {
  const fault = () => Object.assign(new Error('no'), { responseCode });
  const server = await startMailServer({
    onMailFrom: (_address, _session, done) => done(command === 'MAIL FROM' ? fault() : null),
    onRcptTo: (_address, _session, done) => done(command === 'RCPT TO' ? fault() : null),
    onData: (stream, _session, done) => {
      stream.resume();
      stream.on('end', () => done(command === 'DATA' ? fault() : null));
    },
  });
  const mailer = createMailer({
    from: SENDER,
    dataDir: running.dataDir,
    now: running.now,
    smtpUrl: `smtp://${server.host}`,
  });
  onTestFinished(() => mailer.close());
  const outcome = await new EmailGateway(mailer).send(PUSH);
  expect(outcome).toMatchObject({ kind, answer: expect.stringContaining(String(responseCode)) });
  // Without pausing other mail, because the server is reachable.
  expect(outcome).not.toMatchObject({ isUnreachable: true });
});

test('pushes by mail use SMTP_URL and wait while the server is down', async () => {
  const server = await startMailServer();
  const settings = { from: SENDER, dataDir: running.dataDir, now: running.now };
  const mailer = (host: string, timeLimit?: number) => {
    const made = createMailer({ ...settings, smtpUrl: `smtp://${host}`, timeLimit });
    onTestFinished(() => made.close());
    return new EmailGateway(made);
  };
  expect(await mailer(server.host).send(PUSH)).toEqual({ kind: 'delivered', answer: 'accepted by the mailer' });
  expect(server.taken).toMatchObject([{ from: SENDER.address, to: ['reader@example.org'] }]);
  expect(server.taken[0]!.text).toContain('\r\n\r\nLunch?\r\n');
  expect(await mailer('127.0.0.1:1', 500).send(PUSH)).toMatchObject({ kind: 'later' });
  expect(await mailer(server.host).send({ ...PUSH, address: 'a@x.org, b@x.org' })).toMatchObject({ kind: 'refused' });
});
