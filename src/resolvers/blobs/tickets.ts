import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Blob } from '../../generated/prisma/client.ts';
import { MINUTE, unixSeconds } from '../../lib/time.ts';
import type { Encrypter } from '../../platform/encryption/encrypter.ts';

type Services = Pick<Context, 'now' | 'encrypter'>;

const LIFETIME_MS = 15 * MINUTE;

export interface Ticket {
  text: string;
  expiresAt: Date;
}

/** Stands for credentials in the address of one file. */
export function newTicket(blob: Pick<Blob, 'uid'>, { now, encrypter }: Services): Ticket {
  const seconds = unixSeconds(new Date(now().getTime() + LIFETIME_MS));
  return { text: ticketFor(blob, seconds, encrypter), expiresAt: new Date(seconds * 1000) };
}

export function isValidTicket(ticket: string, blob: Pick<Blob, 'uid'>, { now, encrypter }: Services): boolean {
  const seconds = Number.parseInt(ticket, 36);
  if (!(seconds * 1000 > now().getTime())) return false;
  const [given, expected] = [Buffer.from(ticket), Buffer.from(ticketFor(blob, seconds, encrypter))];
  return given.byteLength === expected.byteLength && timingSafeEqual(given, expected);
}

/** The time of its end, and a signature of that time and the file. */
function ticketFor({ uid }: Pick<Blob, 'uid'>, seconds: number, encrypter: Encrypter): string {
  const signature = encrypter.forPurpose('addresses of files').sign(`${uid} ${seconds}`);
  return `${seconds.toString(36)}.${signature.toString('base64url')}`;
}
