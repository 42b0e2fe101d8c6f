import type { Labels } from './labels.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * The language of the labels with the region that the user prefers. `Intl` alone uses the language of the menus of the
 * browser, so that an English browser in Germany shows 12 hours.
 */
export function localeOf(language: string, preferred = globalThis.navigator?.language): string {
  try {
    const locale = new Intl.Locale(language);
    const { region } = new Intl.Locale(preferred).maximize();
    return locale.region || !region ? language : new Intl.Locale(language, { region }).toString();
  } catch {
    return language;
  }
}

const newFormats = (locale: string) => ({
  time: new Intl.DateTimeFormat(locale, { timeStyle: 'short' }),
  weekday: new Intl.DateTimeFormat(locale, { weekday: 'short' }),
  date: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }),
  longDate: new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' }),
  dateAndYear: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' }),
  number: new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }),
});

const formats = new Map<string, ReturnType<typeof newFormats>>();

function formatsOf({ locale }: Labels) {
  const known = formats.get(locale) ?? newFormats(localeOf(locale));
  formats.set(locale, known);
  return known;
}

/** The hour has 12 or 24 hours, and one or two digits, as the locale writes it. */
export const timeOf = (iso: string, labels: Labels): string => formatsOf(labels).time.format(new Date(iso));

/** Days between a time and today, by the calendar. */
function daysAgo(date: Date): number {
  const midnight = (of: Date) => new Date(of.getFullYear(), of.getMonth(), of.getDate()).getTime();
  return Math.round((midnight(new Date()) - midnight(date)) / DAY_MS);
}

/** The time today, the weekday within a week, and otherwise the date. */
export function shortTime(iso: string, labels: Labels): string {
  const date = new Date(iso);
  const days = daysAgo(date);
  const { time, weekday, date: day } = formatsOf(labels);
  if (days <= 0) return time.format(date);
  if (days === 1) return labels.yesterday;
  return days < 7 ? weekday.format(date) : day.format(date);
}

export function dayOf(iso: string, labels: Labels): string {
  const date = new Date(iso);
  const days = daysAgo(date);
  if (days <= 0) return labels.today;
  if (days === 1) return labels.yesterday;
  const { longDate, dateAndYear } = formatsOf(labels);
  return date.getFullYear() === new Date().getFullYear() ? longDate.format(date) : dateAndYear.format(date);
}

export const isSameDay = (a: string, b: string): boolean => new Date(a).toDateString() === new Date(b).toDateString();

const UNITS = ['B', 'kB', 'MB', 'GB'];

export function sizeText(bytes: number, labels: Labels): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** power;
  return `${formatsOf(labels).number.format(value >= 10 ? Math.round(value) : value)} ${UNITS[power]}`;
}
