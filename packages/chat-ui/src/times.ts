import type { Labels } from './labels.ts';

const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const DATE = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const LONG_DATE = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const DATE_AND_YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric' });
const DAY = 24 * 60 * 60 * 1_000;

export const timeOf = (iso: string): string => TIME.format(new Date(iso));

/** Days between a time and today, by the calendar. */
function daysAgo(date: Date): number {
  const midnight = (of: Date) => new Date(of.getFullYear(), of.getMonth(), of.getDate()).getTime();
  return Math.round((midnight(new Date()) - midnight(date)) / DAY);
}

/** The time today, the weekday within a week, and otherwise the date. */
export function shortTime(iso: string, labels: Labels): string {
  const date = new Date(iso);
  const days = daysAgo(date);
  if (days <= 0) return TIME.format(date);
  if (days === 1) return labels.yesterday;
  return days < 7 ? WEEKDAY.format(date) : DATE.format(date);
}

export function dayOf(iso: string, labels: Labels): string {
  const date = new Date(iso);
  const days = daysAgo(date);
  if (days <= 0) return labels.today;
  if (days === 1) return labels.yesterday;
  return date.getFullYear() === new Date().getFullYear() ? LONG_DATE.format(date) : DATE_AND_YEAR.format(date);
}

export const isSameDay = (a: string, b: string): boolean => new Date(a).toDateString() === new Date(b).toDateString();
