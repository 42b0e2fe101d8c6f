import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { running } from './app.ts';

/** The mails the service has written so far, oldest first, each as the text of its file. */
export async function writtenMails(dataDir = running.dataDir): Promise<string[]> {
  const folder = join(dataDir, 'mail');
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.eml')).sort();
  return Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
}

/** Those to one address. */
export async function mailsTo(address: string): Promise<string[]> {
  return (await writtenMails()).filter((mail) => mail.includes(`\r\nTo: ${address}\r\n`));
}

/** The link in a mail. */
export function linkIn(mail: string): string {
  return /^https?:\S+$/m.exec(mail)![0];
}

/** The token of the link in a mail. */
export function tokenIn(mail: string): string {
  return new URL(linkIn(mail)).searchParams.get('reset_token')!;
}
