export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

let latest = { second: Number.NaN, text: '' };

/** `2026-11-20T17:46:59Z`: the legacy format, truncated to seconds. */
export function isoSeconds(date: Date): string {
  // Most rows have equal creation and update times, so consecutive calls often get the same time.
  const second = unixSeconds(date);
  if (second !== latest.second) latest = { second, text: `${date.toISOString().slice(0, 19)}Z` };
  return latest.text;
}

let latestMoment = { at: Number.NaN, text: '' };

export function isoMilliseconds(date: Date): string {
  const at = date.getTime();
  if (at !== latestMoment.at) latestMoment = { at, text: date.toISOString() };
  return latestMoment.text;
}

/** `2016-04-11 16:29:04 UTC`: the format of the token expiration header. */
export function headerTime(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
