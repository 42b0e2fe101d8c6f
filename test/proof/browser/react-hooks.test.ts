import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { bundle, importBundle } from '../../support/app/bundle.ts';
import { hasBrowser, openPage, useBrowser } from '../../support/clients/browser.ts';

describe('the hooks of @atrium/react', () => {
  test('the hooks render on a server with what is known before anything is loaded', async () => {
    const { App } = await importBundle(
      `import { createAtrium } from '@atrium/client';
      import * as hooks from '@atrium/react';
      const atrium = createAtrium({ url: 'http://127.0.0.1:1', applicationId: 1, webSocket: class {} });
      const Part = () => {
        const used = [hooks.useDialogs().status, hooks.useDialog('1').status, hooks.useUnread(), hooks.usePresence([1]).size,
          hooks.useRecords('cars', { where: { value: 1 } }).status, hooks.useUser(1) ?? 'anonymous', hooks.useConnection(), hooks.useOutbox().length];
        return hooks.useSession().status + ' ' + used.join(' ');
      };
      export const App = () => <hooks.AtriumProvider atrium={atrium}><Part /></hooks.AtriumProvider>;`,
    );
    expect(renderToString(createElement(App))).toBe('restoring loading loading 0 0 loading anonymous closed 0');
  });

  describe.skipIf(!hasBrowser)('in a browser', () => {
    useBrowser();

    test('useLive renders again only if the value, or its selected part, changed', async () => {
      const { page } = await openPage('about:blank');
      await page.setContent('<div id="root"></div>');
      const content = await bundle(
        `import { useLive } from '@atrium/react';
        import { createRoot } from 'react-dom/client';
        import { flushSync } from 'react-dom';
        let value = { a: 1, b: 1 };
        const listeners = new Set();
        const live = {
          initial: value,
          get: () => value,
          subscribe: (listener) => { listeners.add(listener); return () => listeners.delete(listener); },
        };
        const counts = { all: 0, part: 0 };
        const All = () => { counts.all++; return useLive(live).a; };
        const Part = () => { counts.part++; return useLive(live, ({ a }) => a); };
        const root = createRoot(document.getElementById('root'));
        flushSync(() => root.render(<><All /><Part /></>));
        const set = (next) => flushSync(() => { value = next; for (const listener of listeners) listener(); });
        const seen = [{ ...counts }];
        set(value); seen.push({ ...counts });
        set({ a: 1, b: 2 }); seen.push({ ...counts });
        set({ a: 2, b: 2 }); seen.push({ ...counts });
        flushSync(() => root.unmount());
        globalThis.result = { seen, listeners: listeners.size };`,
        'browser',
      );
      await page.addScriptTag({ content });
      const result = await page.evaluate(() => (globalThis as unknown as { result: unknown }).result);
      expect(result).toEqual({
        seen: [
          { all: 1, part: 1 },
          { all: 1, part: 1 },
          { all: 2, part: 1 },
          { all: 3, part: 2 },
        ],
        listeners: 0,
      });
    });

    test('useFileAddress asks again after a failed request and before the address expires, but not for a file that is not found', async () => {
      const { page } = await openPage('about:blank');
      await page.clock.install();
      await page.setContent('<div id="root"></div>');
      const content = await bundle(
        `import { AtriumProvider, useFileAddress } from '@atrium/react';
        import { createRoot } from 'react-dom/client';
        const failure = (code) => Promise.reject(Object.assign(new Error(code), { code }));
        const asked = { photo: 0, gone: 0 };
        const files = {
          address: ({ url }) => {
            const count = ++asked[url];
            if (url === 'gone') return failure('NOT_FOUND');
            return count === 1 ? failure('UNREACHABLE') : Promise.resolve({ url: 'address ' + count, expiresAt: new Date() });
          },
        };
        const Address = ({ url }) => <p>{useFileAddress({ url, isForeign: false }) ?? 'no address'}</p>;
        const root = createRoot(document.getElementById('root'));
        root.render(<AtriumProvider atrium={{ files }}><Address url="photo" /><Address url="gone" /></AtriumProvider>);
        Object.assign(globalThis, { asked, root });`,
        'browser',
      );
      await page.addScriptTag({ content });
      const texts = () => page.getByRole('paragraph').allInnerTexts();
      const asked = () => page.evaluate(() => (globalThis as unknown as { asked: object }).asked);
      await expect.poll(asked).toEqual({ photo: 1, gone: 1 });
      expect(await texts()).toEqual(['no address', 'no address']);
      await page.clock.runFor(15_000);
      await expect.poll(texts).toEqual(['address 2', 'no address']);
      await page.clock.runFor(10 * 60_000);
      await expect.poll(texts).toEqual(['address 3', 'no address']);
      await page.evaluate(() => (globalThis as unknown as { root: { unmount: () => void } }).root.unmount());
      await page.clock.runFor(20 * 60_000);
      expect(await asked()).toEqual({ photo: 3, gone: 1 });
    });
  });
});
