/** Whole Unix seconds of a moment. */
export function unixSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000);
}

let latest = { second: Number.NaN, text: '' };

/** `2026-11-20T17:46:59Z`: the legacy form of a moment, cut to whole seconds (gaps §1.3). */
export function isoSeconds(moment: Date): string {
  // Most things were changed when they were made, so every other moment of a list is the one before it.
  const second = unixSeconds(moment);
  if (second !== latest.second) latest = { second, text: `${moment.toISOString().slice(0, 19)}Z` };
  return latest.text;
}

/** `2016-04-11 16:29:04 UTC`: the form of the token expiration header (gaps §1.3). */
export function headerTime(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
