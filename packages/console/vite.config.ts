import { fileURLToPath } from 'node:url';
import { transformAsync } from '@babel/core';
import linguiMacro from '@lingui/babel-plugin-lingui-macro';
import { getConfig } from '@lingui/conf';
import { lingui } from '@lingui/vite-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

const LINGUI = fileURLToPath(new URL('lingui.config.ts', import.meta.url));

/** The console at `/console`, and the GraphQL explorer at `/graphql`. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the pages work below any path.
  base: './',
  plugins: [macros(), lingui({ configPath: LINGUI }), react(), withoutFonts(), preloadedStart()],
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
      output: { codeSplitting: { groups: [0, 1, 2].map(groupOf) } },
    },
  },
  logLevel: 'warn',
});

/** Modules by which pages start, in the order in which they load. */
const STARTS = ['language.ts', 'start.tsx', 'explorer/start.tsx'];

/**
 * Joins what a page loads at its start: Rolldown would make a chunk for each set of modules that later pages share. What
 * the texts need comes first, then what both pages load.
 */
function groupOf(index: number): Rolldown.CodeSplittingGroup {
  const groups = ['language', 'shared', 'console-start'];
  return {
    debugName: groups[index]!,
    priority: groups.length - index,
    name: (id, context) => {
      const [isLanguage, isConsole, isExplorer] = STARTS.map((start) => modulesOf(start, context).has(id));
      const isMember = [isLanguage, isConsole && isExplorer, isConsole][index];
      return isMember ? groups[index]! : null;
    },
  };
}

const found = new Map<string, Set<string>>();

/** The module and what it imports, but for deferred imports. */
function modulesOf(start: string, context: Rolldown.ChunkingContext): Set<string> {
  let modules = found.get(start);
  if (!modules) {
    modules = new Set([fileURLToPath(new URL(`src/${start}`, import.meta.url))]);
    for (const one of modules) for (const id of context.getModuleInfo(one)?.importedIds ?? []) modules.add(id);
    found.set(start, modules);
  }
  return modules;
}

/** Replaces the macros of Lingui with ids of the catalogs. */
function macros(): Plugin {
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
            plugins: [[linguiMacro, { linguiConfig: getConfig({ configPath: LINGUI }) }]],
          }).then((result) => ({ code: result!.code!, map: result!.map }))
        : undefined,
  };
}

/** Lets browsers load the texts and the modules that need them along with the entry, not one after the other. */
function preloadedStart(): Plugin {
  return {
    name: 'preloaded-start',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle, chunk }) => {
        const withImports = (files: string[], found = new Set<string>()): Set<string> => {
          for (const file of files.filter((one) => !found.has(one))) {
            found.add(file);
            withImports(chunkOf(file).imports, found);
          }
          return found;
        };
        const chunkOf = (file: string) => bundle![file] as Rolldown.OutputChunk;
        const entry = withImports([chunk!.fileName]);
        const deferred = withImports([...entry].flatMap((file) => chunkOf(file).dynamicImports));
        const scripts = [...deferred].filter((file) => !entry.has(file));
        const styles = [...deferred].flatMap((file) => [...(chunkOf(file).viteMetadata?.importedCss ?? [])]);
        const link = (rel: string, file: string) => ({
          tag: 'link',
          attrs: { rel, crossorigin: true, href: `./${file}` },
          injectTo: 'head' as const,
        });
        return [
          ...scripts.map((file) => link('modulepreload', file)),
          ...styles.map((file) => link('stylesheet', file)),
        ];
      },
    },
  };
}

/** GraphiQL embeds fonts of 250 KB. The pages use those of the system. */
function withoutFonts(): Plugin {
  return {
    name: 'without-fonts',
    enforce: 'pre',
    transform: (code, id) =>
      /graphiql[^?]*\.css/.test(id) ? code.replaceAll(/@font-face\s*\{[^}]*\}/g, '') : undefined,
  };
}
