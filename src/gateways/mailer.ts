import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getSystemErrorName } from 'node:util';
import type { Transporter } from 'nodemailer';
import { isLoopback } from '../lib/loopback.ts';
import { isMailAddress, type Mailbox } from '../lib/mail-address.ts';
import { onFirstUse } from '../lib/on-first-use.ts';
import { SECOND } from '../lib/time.ts';

export interface Mail {
  to: string;
  subject: string;
  /** Lines end with `\n`. */
  text: string;
  /** The same for mail programs that show HTML. */
  html?: string | undefined;
}

export interface Mailer {
  readonly destination: MailDestination;
  /**
   * Resolves when the server has accepted the mail, with its answer, or with the path of the file.
   * @throws {MailRefusedError} invalid address or subject
   * @throws {MailUnavailableError} the server did not accept it; `MailRejectedError`: it never will
   */
  send(mail: Mail): Promise<string>;
  close(): void;
}

export interface MailDestination {
  /** Host and port of the mail server; undefined: mails are written to `folder`. */
  server: string | undefined;
  folder: string;
  sender: Mailbox;
}

export interface MailerSettings {
  /** `smtp://user:password@host:587` or `smtps://…`; undefined: mails are written to `<dataDir>/mail`. */
  smtpUrl: string | undefined;
  from: Mailbox;
  dataDir: string;
  now: () => Date;
  /** Milliseconds per mail, connecting included. */
  timeLimit?: number;
}

/** An invalid address or subject, above all with a line break, which would inject headers. */
export class MailRefusedError extends Error {}

/** The message is for the log: it contains neither the mail nor the server's credentials. */
export class MailUnavailableError extends Error {
  readonly #isReached: boolean;
  readonly #answer: string | undefined;

  constructor(message: string, isReached = false, answer?: string) {
    super(message);
    this.#isReached = isReached;
    this.#answer = answer;
  }

  /** What the server responded, which may repeat the address; not for the log. */
  get answer(): string | undefined {
    return this.#answer;
  }

  /** Whether the server responded: it refused the mail, at least for now. */
  get isReached(): boolean {
    return this.#isReached;
  }
}

/** The server will never accept this mail: it rejected sender, recipient or text with 5xx. */
export class MailRejectedError extends MailUnavailableError {}

const SEND_TIMEOUT_MS = 20 * SECOND;
const PLAIN_TEXT = 'text/plain; charset=utf-8';

export function createMailer(settings: MailerSettings): Mailer {
  return settings.smtpUrl === undefined ? new FileMailer(settings) : new SmtpMailer(settings, settings.smtpUrl);
}

class SmtpMailer implements Mailer {
  readonly destination: MailDestination;
  readonly #settings: MailerSettings;
  readonly #timeLimit: number;
  readonly #transport: () => Promise<Transporter>;
  #opened: Transporter | undefined;

  constructor(settings: MailerSettings, url: string) {
    const timeLimit = settings.timeLimit ?? SEND_TIMEOUT_MS;
    this.#settings = settings;
    this.#timeLimit = timeLimit;
    const { username, password, hostname, host } = new URL(url);
    this.destination = { server: host, folder: folderOf(settings), sender: settings.from };
    // Otherwise a server that offers neither would receive mails without authentication, or the password unencrypted.
    const protection = username + password === '' ? {} : { forceAuth: true, requireTLS: !isLoopback(hostname) };
    this.#transport = onFirstUse(async () => {
      const { default: nodemailer } = await import('nodemailer');
      this.#opened = nodemailer.createTransport({
        url,
        ...protection,
        pool: true,
        dnsTimeout: timeLimit,
        connectionTimeout: timeLimit,
        greetingTimeout: timeLimit,
        socketTimeout: timeLimit,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return this.#opened;
    });
  }

  async send(mail: Mail): Promise<string> {
    const message = await compose(mail, this.#settings);
    const transport = await this.#transport();
    const signal = AbortSignal.timeout(this.#timeLimit);
    try {
      const { response } = (await transport.sendMail({ ...message, signal })) as { response?: string };
      return response ?? '';
    } catch (error) {
      throw signal.aborted
        ? new MailUnavailableError(`no response within ${this.#timeLimit / SECOND} s`)
        : failureOf(error);
    }
  }

  close(): void {
    this.#opened?.close();
  }
}

/** For setups without a mail server: writes each mail to a file, which gets its name when it is complete. */
class FileMailer implements Mailer {
  readonly destination: MailDestination;
  readonly #settings: MailerSettings;

  constructor(settings: MailerSettings) {
    this.#settings = settings;
    this.destination = { server: undefined, folder: folderOf(settings), sender: settings.from };
  }

  async send(mail: Mail): Promise<string> {
    const { raw } = await compose(mail, this.#settings);
    const { folder } = this.destination;
    // Mails contain links that change passwords, so only this user may read them.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const timestamp = this.#settings.now().toISOString().replaceAll(/[:.]/g, '-');
    const name = `${timestamp}-${randomUUID()}`;
    const unfinished = join(folder, `.${name}.tmp`);
    try {
      await writeFile(unfinished, raw, { mode: 0o600 });
      const file = join(folder, `${name}.eml`);
      await rename(unfinished, file);
      return file;
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  close(): void {}
}

const folderOf = ({ dataDir }: MailerSettings) => join(dataDir, 'mail');

async function compose({ to, subject, text, html }: Mail, { from, now }: MailerSettings) {
  if (!isMailAddress(to)) throw new MailRefusedError('invalid mail address');
  if (/\p{Cc}/u.test(subject)) throw new MailRefusedError('the mail subject contains control characters');
  const { default: MimeNode } = await import('nodemailer/lib/mime-node');
  const type = html === undefined ? PLAIN_TEXT : 'multipart/alternative';
  const node = new MimeNode(type, { newline: 'windows' });
  node.setHeader({
    From: { ...from },
    To: { name: '', address: to },
    Subject: subject,
    Date: now().toUTCString().replace('GMT', '+0000'),
    'Auto-Submitted': 'auto-generated',
  });
  const envelope = { from: from.address, to: [to] };
  if (html !== undefined) {
    const plain = node.createChild(PLAIN_TEXT);
    if (isSevenBit(text)) plain.setRaw(`Content-Type: ${PLAIN_TEXT}\r\n${ENCODING}: 7bit\r\n\r\n${withCrLf(text)}`);
    else plain.setContent(text);
    node.createChild('text/html; charset=utf-8').setContent(html);
    return { envelope, raw: await node.build() };
  }
  if (!isSevenBit(text)) return { envelope, raw: await node.setContent(text).build() };
  node.setHeader(ENCODING, '7bit');
  return { envelope, raw: Buffer.from(`${node.buildHeaders()}\r\n\r\n${withCrLf(text)}`) };
}

/** 7bit leaves long links unbroken, so that they can be copied from the file. */
const ENCODING = 'Content-Transfer-Encoding';

const withCrLf = (text: string) => text.replaceAll('\n', '\r\n');

/** ASCII in lines of at most 998 characters. */
function isSevenBit(text: string): boolean {
  return /^(?:[\t -~]{0,998}\n)*[\t -~]{0,998}$/.test(text);
}

/** Codes only, because the server's text may repeat the address. */
function failureOf(error: unknown): MailUnavailableError {
  const {
    code,
    errno,
    responseCode = 0,
    command,
    response,
  } = error as {
    code?: string;
    response?: string;
    errno?: unknown;
    responseCode?: number;
    command?: string;
  };
  const reason = typeof errno === 'number' ? getSystemErrorName(errno) : code;
  const details = [reason, command, responseCode].filter(Boolean).join(' ');
  const message = `the mail server failed: ${details || 'unknown'}`;
  return isFinal(code, responseCode)
    ? new MailRejectedError(message, true, response)
    : new MailUnavailableError(message, responseCode > 0, response);
}

/**
 * Whether a retry is useless (RFC 5321, 4.2.1). A refused sign-in or greeting, or missing encryption (530 to 538), is a
 * configuration error that the operator can correct before the mail expires.
 */
function isFinal(code: string | undefined, responseCode: number): boolean {
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false;
  return responseCode >= 500 && responseCode < 600 && !(responseCode >= 530 && responseCode <= 538);
}
