import { i18n, type Messages } from '@lingui/core';

/** English stands in the modules. Its catalog is built as the pseudo-locale: lingui.config.ts. */
const PSEUDO = 'en-XA';

const catalogs = Object.fromEntries(
  Object.entries(import.meta.glob<{ messages: Messages }>('../locales/*.po')).map(([path, load]) => {
    const name = path.replace(/^.*\/(.*)\.po$/, '$1');
    return [name === 'en' ? PSEUDO : name, load];
  }),
);

/** Activates the first language of the browser that has texts. Modules with texts are evaluated after it. */
export async function activateLanguage(): Promise<void> {
  const wanted = navigator.languages.flatMap((tag) => [tag, tag.replace(/-.*/, '')]);
  const locale = wanted.find((tag) => tag === 'en' || Object.hasOwn(catalogs, tag)) ?? 'en';
  const catalog = await catalogs[locale]?.();
  i18n.loadAndActivate({ locale, messages: catalog?.messages ?? {} });
  document.documentElement.lang = locale;
}
