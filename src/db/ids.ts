import { randomBytes, randomInt } from 'node:crypto';

const process = randomBytes(5).toString('hex');
/** Begins in the lower half, so that it is millions of ids until it begins again and ids of one second may not sort. */
let counter = randomInt(0x800000);

/**
 * A new id of a dialog, message or record: 24 hex digits, 4 bytes of Unix seconds, 5 random ones per process and a
 * counter of 3, so that ids of one process sort in the order in which they were made.
 */
export function newId(now: Date): string {
  counter = (counter + 1) % 0x1000000;
  const seconds = Math.floor(now.getTime() / 1000);
  return hex(seconds, 8) + process + hex(counter, 6);
}

/** Unix seconds at which an id was made. */
export function secondsOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16);
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}
