import './guides.css';

const COPIED_MS = 2000;
const TAB = 'atrium.tab';

const status = document.createElement('p');
status.className = 'hidden';
status.setAttribute('role', 'status');
document.body.append(status);

// Browsers offer the clipboard only over HTTPS and on localhost.
if (navigator.clipboard) for (const block of document.querySelectorAll('.code')) block.append(copyButton(block));

function copyButton(block: Element): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code')!.textContent.trimEnd());
    button.textContent = 'Copied';
    status.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
      status.textContent = '';
    }, COPIED_MS);
  });
  return button;
}

// Marks the heading that is being read in the table of contents.
const links = new Map(
  [...document.querySelectorAll<HTMLAnchorElement>('.contents a')].map((link) => [
    decodeURIComponent(link.hash.slice(1)),
    link,
  ]),
);
const headings = [...links.keys()].map((id) => document.getElementById(id)!);
const mark = () => {
  const top = (heading: Element) => heading.getBoundingClientRect().top;
  // The last sections of a page cannot reach the top.
  const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
  const read = isAtEnd
    ? (headings.find((heading) => heading.matches(':target') && top(heading) >= 0) ?? headings.at(-1))
    : headings.findLast((heading) => top(heading) < innerHeight / 3);
  for (const link of links.values()) link.removeAttribute('aria-current');
  links.get(read?.id ?? '')?.setAttribute('aria-current', 'location');
};
addEventListener('scroll', mark, { passive: true });
addEventListener('hashchange', mark);
mark();

// Always shown beside the guide in wide windows.
const sidebar = document.querySelector<HTMLDetailsElement>('.sidebar')!;
const wide = matchMedia('(min-width: 64em)');
const follow = () => {
  sidebar.open = wide.matches;
};
wide.addEventListener('change', follow);
follow();
const current = sidebar.querySelector<HTMLElement>('[aria-current]');
sidebar.scrollTop = Math.max(0, (current?.offsetTop ?? 0) - sidebar.clientHeight / 2);

const tabs = [...document.querySelectorAll<HTMLInputElement>('.tabs > input')];
choose(localStorage.getItem(TAB));
for (const tab of tabs) {
  tab.addEventListener('change', () => {
    localStorage.setItem(TAB, tab.value);
    choose(tab.value);
  });
}

/** In all groups that have it. */
function choose(value: string | null): void {
  for (const tab of tabs) if (tab.value === value) tab.checked = true;
}
