import { i18n, type Messages } from '@lingui/core';

const DEFAULT = 'en';

const catalogs = Object.fromEntries(
  Object.entries(import.meta.glob<{ messages: Messages }>('../locales/*.po')).map(([path, load]) => [
    path.replace(/^.*\/(.*)\.po$/, '$1'),
    load,
  ]),
);

/** Loads the texts of the first language of the browser that has a catalog. Modules with texts are imported after it. */
export async function activateLanguage(): Promise<void> {
  const wanted = navigator.languages.flatMap((tag) => [tag, tag.replace(/-.*/, '')]);
  const locale = wanted.find((tag) => Object.hasOwn(catalogs, tag)) ?? DEFAULT;
  const { messages } = await catalogs[locale]!();
  i18n.loadAndActivate({ locale, messages });
  document.documentElement.lang = locale;
}
