import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Trailing digits that all notations of a number share; must match the index of users. */
const TAIL_DIGITS = 7;
const MAX_COUNTRY_CODE = 3;

/** `020 7946 0000` in `GB` and `+44 (0)20 7946-0000` become `+442079460000`; other text is unchanged. */
export function phoneKey(phone: string, region: string | null): string {
  const defaultCountry = (region ?? undefined) as CountryCode | undefined;
  return parsePhoneNumberFromString(phone, { defaultCountry, extract: false })?.number ?? phone;
}

/** Also covers the prefix of national numbers shorter than the tail, so that each notation of the prefix is included. */
export function phoneTails(key: string): string[] {
  const digits = key.replace(/[^0-9]/g, '');
  const mayBeShort = key.startsWith('+') && digits.length < MAX_COUNTRY_CODE + TAIL_DIGITS;
  const national = (mayBeShort && parsePhoneNumberFromString(key)?.nationalNumber) || '';
  const isShort = national !== '' && national.length < TAIL_DIGITS;
  const forms = isShort ? [digits, `00${digits}`, national, `0${national}`] : [digits];
  return [...new Set(forms.map((form) => form.slice(-TAIL_DIGITS)))];
}

export function isPhoneRegion(region: string): boolean {
  return isSupportedCountry(region);
}
