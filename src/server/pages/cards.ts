import { escapeHtml } from '../../lib/escape-html.ts';

export interface CardLink {
  /** Relative to the page. */
  href: string;
  name: string;
  text: string;
}

/** Links to next steps, each with a sentence. */
export function cardLinks(links: readonly CardLink[]): string {
  const items = links.map(
    ({ href, name, text }) =>
      `<li><a href="${escapeHtml(href)}"><strong>${escapeHtml(name)}</strong>${escapeHtml(text)}</a></li>`,
  );
  return `<ul class="cards">${items.join('')}</ul>`;
}
