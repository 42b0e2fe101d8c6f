import type { AnyRouter } from '@tanstack/react-router';
import { FORMS } from '../ui/use-open-in-address.ts';

/** A page that was opened in this tab. */
export interface RecentPlace {
  name: string;
  /** Below the console, with filters. */
  address: string;
}

const KEY = 'atrium.console.recent';
const MAX_PLACES = 8;

/** Only until the tab closes or the administrator signs out, because names of pages may be those of users. */
export const recentPlaces = {
  list(): RecentPlace[] {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
  },
  add({ name, address }: RecentPlace): void {
    const place = { name, address: withoutForms(address) };
    const path = (one: RecentPlace) => one.address.split('?')[0];
    const others = this.list().filter((one) => path(one) !== path(place));
    sessionStorage.setItem(KEY, JSON.stringify([place, ...others].slice(0, MAX_PLACES)));
  },
  clear(): void {
    sessionStorage.removeItem(KEY);
  },
};

function withoutForms(address: string): string {
  const [path, query] = address.split('?');
  const kept = [...new URLSearchParams(query)].filter(([name]) => !FORMS.some((form) => form === name));
  return kept.length > 0 ? `${path}?${new URLSearchParams(kept)}` : path!;
}

type Location = Pick<AnyRouter, 'basepath' | 'history'>;

export function addressOf({ basepath, history }: Location): string {
  return history.location.href.slice(basepath.length) || '/';
}

/** Without the slash of `/?create=1`, because the start page is at `/console`. */
export function openAddress({ basepath, history }: Location, address: string): void {
  history.push(basepath + address.replace(/^\/(?=\?|$)/, ''));
}
