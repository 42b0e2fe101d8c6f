import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { signedInAdministrator } from '../../support/fixtures/administrators.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { linkIn, mailsTo } from '../../support/fixtures/mails.ts';
import { anonymous, apiKey, createUser } from '../../support/fixtures/users.ts';

useApp();

const LIST = '{ mailTemplates { kind subject text html isDefault updatedAt } }';
const UPDATE = `mutation ($input: MailTemplateInput!) {
  updateMailTemplate(input: $input) { kind subject text html isDefault updatedAt }
}`;
const RESET = 'mutation { resetMailTemplate(kind: PASSWORD_RESET) { isDefault subject } }';
const PREVIEW = 'query ($input: MailTemplateInput!) { mailPreview(input: $input) { subject text html } }';
const REQUEST = 'mutation ($email: String!) { requestPasswordReset(email: $email) }';

const TEXTS = { kind: 'PASSWORD_RESET', subject: 'Hi', text: '{{link}}' };
const update = async (input: object, as = apiKey) =>
  (await execute(UPDATE, { input: { ...TEXTS, ...input } }, as)).updateMailTemplate;
const preview = async (input: object) =>
  (await execute(PREVIEW, { input: { ...TEXTS, ...input } }, apiKey)).mailPreview;

let count = 0;
/** A user with a proven address, which a reset mail was sent to. */
async function mailedUser(fields: Record<string, string> = {}, { isProven = true } = {}): Promise<string> {
  const email = `user${++count}@example.org`;
  const { id } = await createUser({ email, ...fields });
  if (!isProven) await db.user.updateMany({ where: { id }, data: { verifiedEmail: null } });
  await execute(REQUEST, { email }, apiKey);
  return (await mailsTo(email))[0]!;
}

const bodyOf = (mail: string) => mail.slice(mail.indexOf('\r\n\r\n') + 4).replaceAll('\r\n', '\n');

describe('texts of mails', () => {
  test('an application starts with the texts of the service, which name the account', async () => {
    const [template] = (await execute(LIST, {}, apiKey)).mailTemplates;
    expect(template).toMatchObject({ kind: 'PASSWORD_RESET', isDefault: true, html: null, updatedAt: null });
    const mail = await mailedUser({ login: 'ada' });
    expect(bodyOf(mail)).toContain('requested a new password for\nthe account ada of test.\n');
    expect(bodyOf(mail)).toContain('within 60 minutes');
    expect(bodyOf(await mailedUser({ login: 'eve' }, { isProven: false }))).toContain('for\nthe account of test.\n');
  });

  test('own texts apply to the next mail, and only in their application', async () => {
    const other = await createTenant(1);
    const stored = await update({
      subject: '{{application}}: new password for {{name|you}}',
      text: 'Dear {{name|user}},\r\nopen {{link}} within {{minutes}} minutes.',
    });
    expect(stored).toMatchObject({ isDefault: false, html: null, updatedAt: new Date(clock.now()).toISOString() });
    const mail = await mailedUser({ login: 'grace', full_name: 'Grace Hopper' });
    expect(mail).toContain('Subject: test: new password for Grace Hopper\r\n');
    expect(bodyOf(mail)).toMatch(/^Dear Grace Hopper,\nopen http:\S+reset_token=[0-9a-f]{40} within 60 minutes\.$/);
    const unproven = await mailedUser({ full_name: 'Buy now' }, { isProven: false });
    expect(unproven).not.toContain('Buy now');
    expect(bodyOf(unproven)).toMatch(/^Dear user,\n/);
    expect((await execute(LIST, {}, other.key)).mailTemplates[0].isDefault).toBe(true);

    expect((await execute(RESET, {}, apiKey)).resetMailTemplate).toEqual({
      isDefault: true,
      subject: 'Set a new password',
    });
    expect(await db.mailTemplate.count()).toBe(0);
  });

  test('a mail with HTML has both parts, and values are escaped in HTML only', async () => {
    const html = '<p title="{{name}}">Hello {{name}}</p><a href="{{link}}">Set password</a>';
    await update({ text: 'Hello {{name}}\n{{link}}', html });
    const mail = await mailedUser({ full_name: `<img src=x onerror="alert('1')"> & co` });
    expect(mail).toMatch(/^Content-Type: multipart\/alternative;/m);
    const [, plain = '', rich = ''] = mail.split(/^--\S+\r\n/m).map((part) => part.replaceAll('=\r\n', ''));
    expect(plain).toContain('Content-Type: text/plain; charset=utf-8');
    expect(plain).toMatch(/onerror=(3D)?"alert\('1'\)"/);
    expect(rich).toContain('Content-Type: text/html; charset=utf-8');
    expect(rich).toContain('Hello &lt;img src');
    expect(rich).not.toContain('<img');
    await execute(RESET, {}, apiKey);
  });

  test.each<[string, object, string]>([
    ['a subject of two lines', { subject: 'Hi\r\nBcc: everyone@example.org' }, 'Subject should be one line without'],
    ['a blank subject', { subject: '  ' }, "Subject can't be blank"],
    ['a long subject', { subject: 'x'.repeat(201) }, 'Subject is too long (maximum is 200 characters)'],
    ['the link in the subject', { subject: '{{link}}' }, 'Subject should not contain {{link}}'],
    ['a text without the link', { text: 'Hello' }, 'Text should contain {{link}}'],
    ['a long text', { text: `{{link}}${'x'.repeat(20_000)}` }, 'Text is too long (maximum is 20000 characters)'],
    ['a text with control characters', { text: '{{link}}\u001b' }, 'Text should contain no control characters'],
    ['HTML without the link', { html: '<p>Hello</p>' }, 'Html should contain {{link}}'],
    ['long HTML', { html: `{{link}}${'x'.repeat(100_000)}` }, 'Html is too long (maximum is 100000 characters)'],
    ['an unknown placeholder', { text: '{{link}} {{password}}' }, 'Text contains the unknown placeholder {{password}}'],
  ])('%s is rejected when stored and in previews', async (_name, texts, message) => {
    const input = { ...TEXTS, ...texts };
    for (const document of [UPDATE, PREVIEW]) {
      const error = await errorOf(document, { input }, apiKey);
      expect(error.code).toBe('UNPROCESSABLE');
      expect(error.message).toContain(message);
    }
  });

  test('a preview shows sample values and stores nothing', async () => {
    expect(await preview({ subject: 'For {{login}}', html: '<a href="{{link}}">x</a>' })).toEqual({
      subject: 'For grace',
      text: `${running.url}/reset-password?reset_token=${'0'.repeat(40)}`,
      html: `<a href="${running.url}/reset-password?reset_token=${'0'.repeat(40)}">x</a>`,
    });
    expect(await db.mailTemplate.count()).toBe(0);
  });

  test('changes are in the audit log', async () => {
    await update({ subject: 'First' });
    const entries = await db.auditEntry.findMany({ where: { subject: 'MailTemplate' }, orderBy: { id: 'desc' } });
    expect(entries[0]).toMatchObject({ subjectId: 'passwordReset', action: 'create', after: { subject: 'First' } });
    await execute(RESET, {}, apiKey);
  });
});

describe('testMail', () => {
  const TEST = `mutation ($to: String, $sample: MailTemplateKind) {
    testMail(to: $to, sample: $sample) { isAccepted answer }
  }`;

  test('sends a short text, or a sample of a mail to the administrator who asks for it', async () => {
    const developer = await signedInAdministrator('developer');
    const { testMail } = await execute(TEST, { to: 'ops@example.org' }, developer);
    expect(testMail).toEqual({ isAccepted: true, answer: 'Written to a file' });
    expect(await mailsTo('ops@example.org')).toHaveLength(1);
    await execute(TEST, { sample: 'PASSWORD_RESET' }, developer);
    const [sample] = (await mailsTo(developer.email)).map(bodyOf);
    expect(sample).toContain('the account grace of test.');
    expect(linkIn(sample!)).toContain('reset_token=0000');
  });

  test('rejects what is no address, and lines that would be headers', async () => {
    for (const to of ['x', 'a@example.org\r\nBcc: b@example.org', 'a@example.org, b@example.org', '']) {
      expect(await errorOf(TEST, { to }, apiKey)).toMatchObject({
        code: 'UNPROCESSABLE',
        message: 'To should look like an email address',
      });
    }
  });

  test('mailSettings show the sender and no credentials', async () => {
    const developer = await signedInAdministrator('developer');
    const { mailSettings } = await execute('{ mailSettings { server sender resetPage } }', {}, developer);
    expect(mailSettings).toEqual({
      server: null,
      sender: 'Atrium <no-reply@example.org>',
      resetPage: `${running.url}/reset-password`,
    });
  });
});

describe('requestResetLink', () => {
  const LINK = 'mutation ($id: Int!, $email: String!) { requestResetLink(applicationId: $id, email: $email) }';

  test('answers the same for known and unknown accounts and applications, and mails known ones', async () => {
    const email = 'link@example.org';
    await createUser({ email });
    const request = (id: number, address: string) => execute(LINK, { id, email: address }, anonymous);
    const id = running.credentials.applicationId;
    for (const [application, address] of [
      [id, 'nobody@example.org'],
      [4711, email],
      [id, email],
    ] as const) {
      expect(await request(application, address)).toEqual({ requestResetLink: true });
    }
    await expect.poll(async () => (await mailsTo(email)).length).toBe(1);
    clock.advance(MINUTE + 1);
    await request(id, email.toUpperCase());
    await expect.poll(async () => (await mailsTo(email)).length).toBe(2);
    expect(await mailsTo('nobody@example.org')).toEqual([]);
  });

  test('sends nothing while the application has turned resets off', async () => {
    const email = 'off@example.org';
    await createUser({ email });
    const id = running.credentials.applicationId;
    await execute('mutation { updateApplication(input: { passwordReset: false }) { id } }', {}, apiKey);
    expect(await execute(LINK, { id, email }, anonymous)).toEqual({ requestResetLink: true });
    await execute('mutation { updateApplication(input: { passwordReset: true }) { id } }', {}, apiKey);
    const known = 'on@example.org';
    await createUser({ email: known });
    await execute(LINK, { id, email: known }, anonymous);
    await expect.poll(async () => (await mailsTo(known)).length).toBe(1);
    expect(await mailsTo(email)).toEqual([]);
  });

  test('rejects what is no address', async () => {
    expect(await errorOf(LINK, { id: 1, email: 'x' }, anonymous)).toMatchObject({ code: 'UNPROCESSABLE' });
  });
});
