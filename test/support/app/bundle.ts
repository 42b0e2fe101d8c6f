import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

const PACKAGES = resolve(import.meta.dirname, '../../../packages');
const alias = {
  '@atrium/client': `${PACKAGES}/client/src/index.ts`,
  '@atrium/react': `${PACKAGES}/react/src/index.ts`,
  '@atrium/chat-ui': `${PACKAGES}/chat-ui/src/index.ts`,
};

/** `@xmpp/client` imports it, but does not use it for WebSockets. */
const withoutDns: Plugin = {
  name: 'without DNS',
  setup(bundling) {
    bundling.onResolve({ filter: /^node:dns$/ }, () => ({ path: 'dns', namespace: 'none' }));
    bundling.onLoad({ filter: /^dns$/, namespace: 'none' }, () => ({ contents: 'export default {}' }));
  },
};

/** Bundles code that uses the packages in `packages`. */
export async function bundle(code: string, platform: 'browser' | 'node'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname, loader: 'tsx' },
    bundle: true,
    write: false,
    format: platform === 'node' ? 'esm' : 'iife',
    platform,
    alias,
    plugins: platform === 'browser' ? [withoutDns] : [],
    jsx: 'automatic',
    external: platform === 'node' ? ['react', 'react-dom'] : [],
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]!.text;
}

/** The exports of code that uses the packages, with the React of the tests. */
export async function importBundle(code: string) {
  const bundled = ['react/jsx-runtime', 'react'].reduce(
    (text, name) => text.replaceAll(JSON.stringify(name), JSON.stringify(import.meta.resolve(name))),
    await bundle(code, 'node'),
  );
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(bundled)}`);
}
