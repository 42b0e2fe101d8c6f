import { type Problem, problem } from './problems.ts';

const MAX_ORIGINS = 20;
const MAX_ORIGIN = 255;

/** Of Android apps, whose authenticators send no address. */
const ANDROID_ORIGIN = /^android:apk-key-hash:[\w-]{43}$/;

/** The first origin is a page, whose host is the relying party of the others, as browsers demand. */
export function originProblems(origins: readonly string[]): Problem[] {
  if (origins.length > MAX_ORIGINS) return [problem('TOO_MANY_ENTRIES', { max: MAX_ORIGINS })];
  const [first, ...others] = origins;
  if (first === undefined) return [];
  const host = hostOfOrigin(first);
  const isRight = (one: string) => ANDROID_ORIGIN.test(one) || isBelow(hostOfOrigin(one), host!);
  return host !== undefined && others.every(isRight) ? [] : ['NOT_AN_ORIGIN'];
}

const isBelow = (host: string | undefined, parent: string) => host === parent || host?.endsWith(`.${parent}`) === true;

/** Undefined unless the text is an origin as browsers write it, where passkeys work: no address of numbers, no `http`. */
export function hostOfOrigin(origin: string): string | undefined {
  if (origin.length > MAX_ORIGIN || !URL.canParse(origin)) return undefined;
  const { origin: written, protocol, hostname } = new URL(origin);
  const isSecure = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
  const isName = /[a-z]/.test(hostname.split('.').at(-1)!) && !hostname.startsWith('[');
  return isSecure && isName && written === origin ? hostname : undefined;
}
