import { randomBytes, randomInt } from 'node:crypto';

const process = randomBytes(5).toString('hex');
/** Starts in the lower half, so that only millions of ids later it wraps and ids of one second may sort wrongly. */
let counter = randomInt(0x800000);

/** 4 bytes of Unix seconds, 5 random bytes per process, 3 bytes of a counter. Ids of one process sort by creation. */
export function newId(now: Date): string {
  counter = (counter + 1) % 0x1000000;
  const seconds = Math.floor(now.getTime() / 1000);
  return hex(seconds, 8) + process + hex(counter, 6);
}

export function secondsOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16);
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}
