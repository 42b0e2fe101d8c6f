import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createMailer, type Mailer, MailRefusedError, MailUnavailableError } from '../../src/gateways/mailer.ts';
import { SAMPLE_TIME, SENDER } from '../support/app/app.ts';
import { startMailServer } from '../support/fakes/mail-server.ts';
import { deadAddress } from '../support/fakes/provider.ts';
import { writtenMails } from '../support/fixtures/mails.ts';

const LINK = `https://example.org/a-page-with-a-long-name/reset-password?reset_token=${'0123456789'.repeat(4)}`;
const MAIL = { to: 'a+b@x.io', subject: 'Set a new password', text: `Hello,\n\n${LINK}\n` };
const BYTES = [
  'From: Atrium <no-reply@example.org>',
  'To: a+b@x.io',
  'Subject: Set a new password',
  'Date: Fri, 20 Nov 2026 17:46:59 +0000',
  'Auto-Submitted: auto-generated',
  'Content-Transfer-Encoding: 7bit',
  expect.stringMatching(/^Message-ID: <[0-9a-f-]+@example\.org>$/),
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Hello,',
  '',
  LINK,
  '',
];

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'atrium-mail-'));
});
afterAll(() => rm(dataDir, { recursive: true }));

function mailer(
  smtpUrl?: string,
  settings: { timeLimit?: number; from?: typeof SENDER; dataDir?: string } = {},
): Mailer {
  const made = createMailer({ smtpUrl, from: SENDER, dataDir, now: () => SAMPLE_TIME, ...settings });
  onTestFinished(() => made.close());
  return made;
}

describe('without SMTP_URL', () => {
  test('each mail is stored in its own file with mode 600, and long links are not wrapped', async () => {
    await Promise.all([mailer().send(MAIL), mailer().send(MAIL)]);
    const [one, two, ...others] = await writtenMails(dataDir);
    expect(others).toEqual([]);
    expect(one!.split('\r\n')).toEqual(BYTES);
    expect(two!.split('\r\n')).toEqual(BYTES);
    const names = await readdir(join(dataDir, 'mail'));
    expect(names.length).toBe(2);
    for (const name of names) {
      expect(name).toMatch(/^2026-11-20T17-46-59-000Z-[0-9a-f-]{36}\.eml$/);
      expect((await stat(join(dataDir, 'mail', name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(join(dataDir, 'mail'))).mode & 0o777).toBe(0o700);
  });

  test('send fails when the mail folder is not writable', async () => {
    const file = join(dataDir, 'no-folder');
    await writeFile(file, '');
    await expect(mailer(undefined, { dataDir: file }).send(MAIL)).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  test('non-ASCII characters are encoded in headers and text', async () => {
    const folder = await mkdtemp(join(dataDir, 'other-'));
    const from = { name: 'Ätrium, "Inc."', address: 'no-reply@example.org' };
    await mailer(undefined, { dataDir: folder, from }).send({ ...MAIL, subject: 'Grüße', text: 'Grüße\n' });
    const [text] = await writtenMails(folder);
    expect(text).toContain('From: =?UTF-8?Q?=C3=84trium=2C_=22Inc=2E=22?= <no-reply@example.org>\r\n');
    expect(text).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n');
    expect(text).toContain('Content-Transfer-Encoding: quoted-printable\r\n');
    expect(text).toContain('\r\n\r\nGr=C3=BC=C3=9Fe\r\n');
  });
});

describe('with SMTP_URL', () => {
  test('12 mails reach the server over at most 5 connections', async () => {
    const server = await startMailServer();
    const sender = mailer(`smtp://${server.host}`);
    await Promise.all(Array.from({ length: 12 }, () => sender.send(MAIL)));
    expect(server.taken.length).toBe(12);
    expect(server.taken[0]).toMatchObject({ from: 'no-reply@example.org', to: ['a+b@x.io'] });
    expect(server.taken[0]!.text.trimEnd().split('\r\n')).toEqual(BYTES.slice(0, -1));
    expect(server.connections()).toBeLessThanOrEqual(5);
  });

  test('the mailer authenticates with the user and password of SMTP_URL', async () => {
    const server = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === 'post@x.io' && password === 'p@ss/word' ? done(null, { user: username }) : done(new Error('no')),
    });
    await mailer(`smtp://post%40x.io:p%40ss%2Fword@${server.host}`).send(MAIL);
    expect(server.taken.length).toBe(1);
    const refused = mailer(`smtp://post%40x.io:hidden@${server.host}`).send(MAIL);
    await expect(refused).rejects.toThrow(new MailUnavailableError('the mail server failed: EAUTH AUTH PLAIN 535'));
    await expect(mailer(`smtp://${server.host}`).send(MAIL)).rejects.toThrow(MailUnavailableError);
    expect(server.taken.length).toBe(1);
  });

  test('a mailer with a password sends nothing to a server without authentication', async () => {
    const server = await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
    await expect(mailer(`smtp://post:hidden@${server.host}`).send(MAIL)).rejects.toThrow(MailUnavailableError);
    expect(server.taken).toEqual([]);
  });

  test('a mailer with a password requires encryption, except from this machine', async () => {
    const seen: string[] = [];
    const server = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) => {
        seen.push(password!);
        done(null, { user: 'post' });
      },
    });
    // Not a loopback address, but it connects to this machine.
    const elsewhere = server.host.replace('127.0.0.1', '0.0.0.0');
    await expect(mailer(`smtp://post:hidden@${elsewhere}`).send(MAIL)).rejects.toThrow(MailUnavailableError);
    expect(seen).toEqual([]);
    await mailer(`smtp://post:hidden@${server.host}`).send(MAIL);
    expect(seen).toEqual(['hidden']);
  });

  test("send fails when the server is down or refuses, and the error contains nothing from the server's text", async () => {
    const busy = await startMailServer({ onRcptTo: ({ address }, _session, done) => done(new Error(`no ${address}`)) });
    const rejecting = await startMailServer({ onMailFrom: (_address, _session, done) => done(new Error(LINK)) });
    for (const url of [
      (await deadAddress()).replace('http', 'smtp'),
      `smtp://${busy.host}`,
      `smtp://${rejecting.host}`,
    ]) {
      const error = await mailer(url)
        .send(MAIL)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(MailUnavailableError);
      expect((error as Error).message).toMatch(/^the mail server failed: [A-Z]+( [A-Z ]+)?( \d{3})?$/);
      expect(error).not.toHaveProperty('cause');
    }
  });

  test('the mailer requires a valid certificate from a server that offers TLS', async () => {
    const server = await startMailServer({ disabledCommands: [] });
    await expect(mailer(`smtp://${server.host}`).send(MAIL)).rejects.toThrow(MailUnavailableError);
    expect(server.taken).toEqual([]);
    await mailer(`smtp://${server.host}?tls.rejectUnauthorized=false`).send(MAIL);
    expect(server.taken.length).toBe(1);

    const secure = await startMailServer({ secure: true });
    await expect(mailer(`smtps://${secure.host}`).send(MAIL)).rejects.toThrow(MailUnavailableError);
    await mailer(`smtps://${secure.host}?tls.rejectUnauthorized=false`).send(MAIL);
    expect(secure.taken.length).toBe(1);
  });

  test('send times out when the server is slow, and the next mail can succeed', async () => {
    let isSlow = true;
    const server = await startMailServer({
      onMailFrom: (_address, _session, done) => {
        if (!isSlow) done();
      },
    });
    const sender = mailer(`smtp://${server.host}`, { timeLimit: 300 });
    await expect(sender.send(MAIL)).rejects.toThrow(new MailUnavailableError('no response within 0.3 s'));
    isSlow = false;
    const patient = mailer(`smtp://${server.host}`);
    await patient.send(MAIL);
    expect(server.taken.length).toBe(1);

    const mute = await startMailServer({ onConnect: () => {} });
    await expect(mailer(`smtp://${mute.host}`, { timeLimit: 300 }).send(MAIL)).rejects.toThrow(MailUnavailableError);
  });
});

describe('row 34: the mailer rejects values that form more than one address or header', () => {
  test.each([
    'a@x.io\r\nBcc: b@x.io',
    'a@x.io\nBcc: b@x.io',
    'a@x.io, b@x.io',
    'a@x.io;b@x.io',
    'a,b@x.io',
    '<a@x.io>',
    'A <a@x.io>',
    '"a b"@x.io',
    'a@b@x.io',
    'a@x.io ',
    'a\0@x.io',
    'a\u2028@x.io',
    'team:a@x.io',
    'a(b)@x.io',
    '@x.io',
    'a@',
    '',
    `${'a'.repeat(250)}@x.io`,
  ])('send rejects the recipient %j', async (to) => {
    const server = await startMailServer();
    await expect(mailer(`smtp://${server.host}`).send({ ...MAIL, to })).rejects.toThrow(MailRefusedError);
    await expect(mailer().send({ ...MAIL, to })).rejects.toThrow(MailRefusedError);
    expect(server.connections()).toBe(0);
  });

  test('send rejects a subject of several lines', async () => {
    for (const subject of ['Hi\r\nBcc: b@x.io', 'Hi\nX: y', 'Hi\0']) {
      await expect(mailer().send({ ...MAIL, subject })).rejects.toThrow(MailRefusedError);
    }
  });

  test('dots and SMTP commands in the text are sent as text', async () => {
    const server = await startMailServer();
    const text = 'one\n.\nQUIT\n.two\n';
    await mailer(`smtp://${server.host}`).send({ ...MAIL, text });
    expect(server.taken.length).toBe(1);
    expect(server.taken[0]!.text.split('\r\n\r\n')[1]!.trimEnd()).toBe('one\r\n.\r\nQUIT\r\n.two');
  });
});
