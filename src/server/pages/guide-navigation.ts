import { escapeHtml } from '../../lib/escape-html.ts';

/** A page of the sidebar, or a part of a page if the address has an anchor. */
export interface NavigationEntry {
  address: string;
  title: string;
  /** Shown on their own pages, and on that of the entry. */
  children: NavigationEntry[];
}

export interface NavigationGroup {
  title: string;
  entries: NavigationEntry[];
}

/** @returns the path from the guide `address` to the root */
export function rootOf(address: string): string {
  return address === '' ? './' : '../'.repeat(address.split('/').length);
}

/** All guides, behind a button on small screens. @param page the current one, with its entry if it is not listed itself */
export function sidebar(
  groups: readonly NavigationGroup[],
  page: { address: string; section?: string },
  root: string,
): string {
  const current = page.section ?? page.address;
  const item = (entry: NavigationEntry): string => {
    const { address, title, children } = entry;
    const isOpen = [entry, ...children].some((one) => one.address === current);
    const list = isOpen && children.length > 0 ? `<ul>${children.map(item).join('')}</ul>` : '';
    const mark = address === page.address ? ' aria-current="page"' : address === current ? ' aria-current="true"' : '';
    return `<li><a href="${hrefOf(address, root)}"${mark}>${escapeHtml(title)}</a>${list}</li>`;
  };
  const lists = groups.map(
    ({ title, entries }) => `<h2>${escapeHtml(title)}</h2><ul>${entries.map(item).join('')}</ul>`,
  );
  return `<details class="sidebar"><summary>All guides</summary><nav aria-label="Guides">${lists.join('')}</nav></details>`;
}

/** Links to the guides before and after, in the order of the sidebar. */
export function pager(groups: readonly NavigationGroup[], address: string, root: string): string {
  const pages = groups
    .flatMap(({ entries }) => entries.flatMap((entry) => [entry, ...entry.children]))
    .filter((entry) => !entry.address.includes('#'));
  const index = pages.findIndex((entry) => entry.address === address);
  if (index < 0 && address !== '') return '';
  const link = (entry: NavigationEntry | undefined, rel: string, name: string) =>
    entry
      ? `<a rel="${rel}" href="${hrefOf(entry.address, root)}"><small>${name}</small>${escapeHtml(entry.title)}</a>`
      : '';
  const links = link(pages[index - 1], 'prev', 'Previous') + link(pages[index + 1], 'next', 'Next');
  return `<nav class="pager" aria-label="Previous and next guide">${links}</nav>`;
}

function hrefOf(address: string, root: string): string {
  return `${root}guides/${address}`.replace(/\/$/, '');
}
