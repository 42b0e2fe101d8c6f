import { isDangerousScheme } from './address-schemes.ts';

const MAX_CHARACTERS = 2_000;

/** Whether a page may link to this address of an app: `https://shop.example.com` or `com.example.shop://signed-out`. */
export function isAppUrl(text: string): boolean {
  if (text.length > MAX_CHARACTERS || /[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  // Other schemes need the slashes, so that `localhost:3000` is not taken for one.
  const hasSlashes = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  return hasSlashes && username + password === '' && (isWeb || !isDangerousScheme(protocol));
}
