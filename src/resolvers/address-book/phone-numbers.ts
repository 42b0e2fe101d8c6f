import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Digits at the end that all ways of writing one number share; an index of users keeps as many. */
const TAIL_DIGITS = 7;
const MAX_COUNTRY_CODE = 3;

/**
 * What tells numbers apart however they are written: `020 7946 0000` in `GB` and `+44 (0)20 7946-0000` are
 * `+442079460000`. A text that is no such number stands for itself.
 * @param region ISO country of numbers without country code; null: they stand for themselves
 */
export function phoneKey(phone: string, region: string | null): string {
  const defaultCountry = (region ?? undefined) as CountryCode | undefined;
  return parsePhoneNumberFromString(phone, { defaultCountry, extract: false })?.number ?? phone;
}

/**
 * The last digits under which the index of users keeps whatever has this key. They are the same for every way of
 * writing a number, but for those of a few islands, shorter than the tail: what stands before them then counts too.
 */
export function phoneTails(key: string): string[] {
  const digits = key.replace(/[^0-9]/g, '');
  const mayBeShort = key.startsWith('+') && digits.length < MAX_COUNTRY_CODE + TAIL_DIGITS;
  const national = (mayBeShort && parsePhoneNumberFromString(key)?.nationalNumber) || '';
  const isShort = national !== '' && national.length < TAIL_DIGITS;
  const forms = isShort ? [digits, `00${digits}`, national, `0${national}`] : [digits];
  return [...new Set(forms.map((form) => form.slice(-TAIL_DIGITS)))];
}

/** Whether numbering plans know an ISO country, `GB`. */
export function isPhoneRegion(region: string): boolean {
  return isSupportedCountry(region);
}
