import { expect, test } from 'vitest';
import { createMailer } from '../../../src/gateways/mailer.ts';
import { running, SENDER, useApp } from '../../support/app/app.ts';
import { startMailServer } from '../../support/fakes/mail-server.ts';
import { deadAddress } from '../../support/fakes/provider.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const TEST = 'mutation { testMail(to: "ops@example.org") { isAccepted answer } }';

/** Sends a test mail while the service uses this mail server. */
async function testVia(smtpUrl: string) {
  const { services } = running.app;
  const { mailer: before } = services;
  const mailer = createMailer({ smtpUrl, from: SENDER, dataDir: running.dataDir, now: running.now });
  Object.assign(services, { mailer });
  try {
    return (await execute(TEST, {}, apiKey)).testMail;
  } finally {
    Object.assign(services, { mailer: before });
    mailer.close();
  }
}

test('testMail reports the response of the mail server', async () => {
  const server = await startMailServer();
  expect(await testVia(`smtp://${server.host}`)).toEqual({ isAccepted: true, answer: '250 OK: message queued' });
  expect(server.taken).toMatchObject([{ to: ['ops@example.org'] }]);
});

test('testMail reports why the mail server refuses the mail', async () => {
  const refusal = Object.assign(new Error('5.7.1 Relaying denied'), { responseCode: 550 });
  const server = await startMailServer({ onRcptTo: (_address, _session, done) => done(refusal) });
  const { isAccepted, answer } = await testVia(`smtp://${server.host}`);
  expect(isAccepted).toBe(false);
  expect(answer).toContain('550 5.7.1 Relaying denied');
});

test('testMail reports that the mail server cannot be reached', async () => {
  const { isAccepted, answer } = await testVia(`smtp://${new URL(await deadAddress()).host}`);
  expect(isAccepted).toBe(false);
  expect(answer).toMatch(/^the mail server failed: .*ECONNREFUSED/);
});
