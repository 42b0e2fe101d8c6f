import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { type NodePath, type PluginObj, transformAsync, types } from '@babel/core';
import linguiMacro from '@lingui/babel-plugin-lingui-macro';
import { getConfig } from '@lingui/conf';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { lingui } from '@lingui/vite-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { guides } from './guides/index.ts';
import { usedStyles } from './used-styles.ts';

const LINGUI = fileURLToPath(new URL('lingui.config.ts', import.meta.url));

/** Styles of pages that the server fills in; it reads them by these names. */
const STYLES = ['page', 'docs', 'reset-password'];

/** The console at `/console`, and the GraphQL explorer at `/graphql`. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the pages work below any path.
  base: './',
  plugins: [
    macros(),
    lingui({ configPath: LINGUI }),
    react(),
    swaggerUi(),
    inter(),
    guides(),
    usedStyles(),
    compressed(),
  ],
  resolve: { alias: { '@atrium/client': fileURLToPath(new URL('../client/src/index.ts', import.meta.url)) } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // `light-dark()` follows the chosen scheme; what replaces it in older browsers follows the system.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' },
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      input: {
        console: 'index.html',
        explorer: 'explorer.html',
        guides: 'src/static/guides.ts',
        ...Object.fromEntries(STYLES.map((name) => [name, `src/static/${name}.css`])),
      },
      output: {
        assetFileNames: ({ names: [name = ''] }) =>
          STYLES.includes(name.replace('.css', '')) ? '[name][extname]' : 'assets/[name]-[hash][extname]',
      },
      checks: { moduleLevelDirective: false, bundlerTimings: false },
    },
  },
  logLevel: 'warn',
});

/** Replaces the macros of Lingui with ids of the catalogs and compiled English texts. */
function macros(): Plugin {
  const linguiConfig = getConfig({ configPath: LINGUI });
  return {
    name: 'lingui-macros',
    enforce: 'pre',
    transform: (code, id) =>
      /\/console\/src\/[^?]*\.tsx?$/.test(id) && /@lingui\/\w+\/macro/.test(code)
        ? transformAsync(code, {
            filename: id,
            configFile: false,
            babelrc: false,
            sourceMaps: true,
            parserOpts: { plugins: ['typescript', 'jsx'] },
            plugins: [[linguiMacro, { linguiConfig, stripMessageField: false }], compiledMessages],
          }).then((result) => ({ code: result!.code!, map: result!.map }))
        : undefined,
  };
}

/** Compiles the English texts, which the macros leave in ICU MessageFormat. */
const compiledMessages: PluginObj = {
  visitor: { Program: { exit: (program) => program.traverse({ Property: compileMessageOf }) } },
};

function compileMessageOf({ node, parent }: NodePath<types.Property>): void {
  const isMessage = types.isObjectProperty(node) && types.isIdentifier(node.key, { name: 'message' });
  const hasId = (parent as types.ObjectExpression).properties.some(
    (one) => types.isObjectProperty(one) && types.isIdentifier(one.key, { name: 'id' }),
  );
  if (isMessage && hasId && types.isStringLiteral(node.value))
    node.value = types.valueToNode(compileMessage(node.value.value));
}

/** Compresses assets once, with a quality that takes too long for a server. Vite still changes scripts before it writes. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    async writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle).filter((one) => /^assets\/.*\.(js|css)$/.test(one))) {
        const file = join(dir!, name);
        await writeFile(`${file}.br`, brotliCompressSync(await readFile(file)));
      }
    },
  };
}

/** Copies the three of its thirty files that the documentation page at `/docs` uses, and their licenses. */
function swaggerUi(): Plugin {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const names = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];
  return {
    name: 'swagger-ui',
    async generateBundle() {
      for (const name of names) {
        const file = join(folder, name);
        const source = await readFile(file);
        this.emitFile({ type: 'asset', fileName: `swagger-ui/${name}`, originalFileName: file, source });
      }
    },
  };
}

/** Preloads the font, which would otherwise wait for the styles, and copies its license. */
function inter(): Plugin {
  return {
    name: 'inter',
    async generateBundle() {
      const file = createRequire(import.meta.url).resolve('@fontsource-variable/inter/LICENSE');
      this.emitFile({ type: 'asset', fileName: 'inter/LICENSE', originalFileName: file, source: await readFile(file) });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((name) => name.includes('inter-latin-wght'))
          .map((name) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `./${name}` },
          })),
    },
  };
}
