import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';

/** Catalogs of the texts that people read. To add a language, add it to `locales` and extract: docs/console.md. */
export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: 'en',
  locales: ['en'],
  catalogs: [{ path: '<rootDir>/locales/{locale}', include: ['<rootDir>/src'] }],
  format: formatter({ lineNumbers: false }),
});
