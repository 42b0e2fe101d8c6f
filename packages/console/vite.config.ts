import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The console at `/console`, and the GraphQL explorer at `/graphql`. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the pages work below any path.
  base: './',
  plugins: [react(), withoutFonts()],
  resolve: { alias: { '@atrium/client': fileURLToPath(new URL('../client/src/index.ts', import.meta.url)) } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' },
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      input: { console: 'index.html', explorer: 'explorer.html' },
      checks: { moduleLevelDirective: false },
    },
  },
  logLevel: 'warn',
});

/** GraphiQL embeds fonts of 250 KB. The pages use those of the system. */
function withoutFonts(): Plugin {
  return {
    name: 'without-fonts',
    enforce: 'pre',
    transform: (code, id) =>
      /graphiql[^?]*\.css/.test(id) ? code.replaceAll(/@font-face\s*\{[^}]*\}/g, '') : undefined,
  };
}
