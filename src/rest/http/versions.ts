export const API_VERSION = '2.58.0';

export const VERSION_HEADER = 'SVC-REST-API-Version';

/** Lower versions are ignored, because old clients send such a constant. */
const OLDEST = [1, 0, 0];

/** @param stated an absent, malformed or ignored version means the newest */
export function isOlder(stated: unknown, version: string): boolean {
  const numbers = typeof stated === 'string' ? parse(stated.trim()) : undefined;
  if (!numbers || compare(numbers, OLDEST) < 0) return false;
  return compare(numbers, parse(version)!) < 0;
}

function parse(text: string): number[] | undefined {
  const parts = /^(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?$/.exec(text);
  return parts?.slice(1).map((part) => Number(part ?? 0));
}

function compare(a: number[], b: number[]): number {
  const index = a.findIndex((number, index) => number !== b[index]);
  return index < 0 ? 0 : a[index]! - b[index]!;
}
