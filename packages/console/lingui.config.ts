import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';

/** Catalogs of the texts that people read. To add a language, add it to `locales` and extract: docs/decisions/0030. */
export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: 'en',
  locales: ['en'],
  // English needs no catalog, because its texts stand in the modules. The build writes it with other letters.
  pseudoLocale: 'en',
  catalogs: [{ path: '<rootDir>/locales/{locale}', include: ['<rootDir>/src'] }],
  format: formatter({ lineNumbers: false }),
});
