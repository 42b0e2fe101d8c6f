import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { beforeAll, describe, expect, test } from 'vitest';
import { messageOf } from '../../packages/client/src/app/chat-documents.ts';
import { createAtrium } from '../../packages/client/src/index.ts';
import { importBundle } from '../support/app/bundle.ts';

const SERVICE = 'http://127.0.0.1:1';
const atrium = createAtrium({ url: SERVICE, applicationId: 1, webSocket: class {} as never });
const NODE = {
  id: 'a'.repeat(24),
  dialogId: 'b'.repeat(24),
  senderId: 1,
  text: '',
  createdAt: '2026-11-20T17:46:59Z',
  updatedAt: '2026-11-20T17:46:59Z',
  readIds: [],
  deliveredIds: [],
};

const received = (attachments: unknown[], customFields: unknown = {}) =>
  messageOf({ ...NODE, attachments, customFields });

const FILE = { type: 'file', url: 'https://x.io/' };
/** The attachment that a user sent, and the one that the client returns. */
const ATTACHMENTS: [given: unknown, returned: unknown[]][] = [
  [{ ...FILE, contentType: 5 }, [{ ...FILE, contentType: '5' }]],
  [{ ...FILE, contentType: null, name: { a: 1 }, size: [1], width: true, height: {} }, [FILE]],
  [{ ...FILE, size: '12', width: '1e2', height: ' ', duration: 'long' }, [{ ...FILE, size: 12, width: 100 }]],
  [{ ...FILE, size: -1, width: Number.POSITIVE_INFINITY, height: '-5' }, [FILE]],
  [{ ...FILE, 'content-type': 'a/b' }, [{ ...FILE, 'content-type': 'a/b', contentType: 'a/b' }]],
  [{ ...FILE, 'content-type': { a: 1 } }, [FILE]],
  [{ type: 1, id: 5, url: 7 }, [{ type: '1', id: '5', url: '7' }]],
  [{ type: 'file', id: { a: 1 }, url: null }, [{ type: 'file' }]],
  [{ ...FILE, data: { w: [1] }, mine: null }, [{ ...FILE, data: { w: [1] }, mine: null }]],
  [{ url: 'https://x.io/' }, []],
  [{ ...FILE, type: { a: 1 } }, []],
  [null, []],
  ['x', []],
  [[FILE], []],
];

describe('messages of other users', () => {
  test('members named like those of prototypes change no other member', () => {
    const given = JSON.parse('{"type":"file","__proto__":{"name":{"a":1},"id":{"a":1}},"constructor":1}');
    const [attachment] = received([given]).attachments;
    expect([attachment!.name, attachment!.id]).toEqual([undefined, undefined]);
    const { customFields } = received([], JSON.parse('{"__proto__":{"polluted":1}}'));
    expect([customFields.polluted, Object.hasOwn(customFields, '__proto__')]).toEqual([undefined, true]);
  });

  test.each(ATTACHMENTS)('the members of an attachment have the documented types: %j', (given, returned) => {
    expect(received([given, FILE]).attachments).toEqual([...returned, FILE]);
  });

  test('attachments that are no list, and custom fields that are no object, are empty', () => {
    for (const value of [null, 5, 'x', { a: 1 }]) expect(received(value as never).attachments).toEqual([]);
    for (const value of [null, 5, 'x', [1]]) expect(received([], value).customFields).toEqual({});
    expect(received([], { a: { b: 1 } }).customFields).toEqual({ a: { b: 1 } });
  });
});

const SCRIPTS = [
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  ' \u0001javascript:alert(1)',
  'java\tscr\nipt:alert(1)',
  'vbscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'blob:https://x.io/1',
  'intent://x.io#Intent;end',
  'file:///etc/passwd',
  'custom:x',
];
const RELATIVE = ['/a', 'a b', '//x.io/a', '..', '.', '', '\\\\x.io\\a', 'https:', 'http://'];

describe('files.link', () => {
  test.each([...SCRIPTS, ...RELATIVE])('neither an attachment nor a photo leads to %j', (url) => {
    expect(atrium.files.link({ url })).toBeUndefined();
    expect(atrium.files.link(url)).toBeUndefined();
    expect(atrium.files.link({ id: url })).toBeUndefined();
  });

  test('a blob and an address of the service are not foreign, all other addresses are', () => {
    const own = { url: `${SERVICE}/blobs/5`, isForeign: false };
    expect(atrium.files.link('5')).toEqual(own);
    expect(atrium.files.link({ id: '5', url: 'https://x.io/a' })).toEqual(own);
    expect(atrium.files.link({ url: `${SERVICE}/blobs/5` })).toEqual(own);
    for (const url of ['https://x.io/a', 'http://127.0.0.1:2/blobs/5', 'HTTPS://127.0.0.1:1/blobs/5']) {
      expect(atrium.files.link({ url })).toEqual({ url: new URL(url).href, isForeign: true });
      expect(atrium.files.link(url)).toEqual({ url: new URL(url).href, isForeign: true });
    }
    expect(atrium.files.link({ id: '../users/1', url: 'https://x.io/a' })).toMatchObject({ url: 'https://x.io/a' });
  });
});

describe('chat-ui', () => {
  // biome-ignore lint/suspicious/noExplicitAny: components of a bundle
  let ui: any;
  beforeAll(async () => {
    ui = await importBundle(`export * from '@atrium/chat-ui'; export { AtriumProvider } from '@atrium/react';`);
  });

  const html = (component: string, props: object, origins?: unknown): string => {
    const part = createElement(ui[component], props);
    const allowed = origins === undefined ? part : createElement(ui.ImageOriginsProvider, { value: origins }, part);
    return renderToString(createElement(ui.AtriumProvider, { atrium }, allowed));
  };
  const attachments = (...given: unknown[]) => ({ attachments: received(given).attachments });

  test.each(ATTACHMENTS)('an attachment of any form can be rendered: %j', (given) => {
    for (const type of ['file', 'image']) {
      const one = typeof given === 'object' && given !== null && 'type' in given ? { ...given, type } : given;
      expect(html('Attachments', attachments(one))).toContain('atrium-attachments');
    }
  });

  test.each([...SCRIPTS, ...RELATIVE])('no link and no image has the address %j', (url) => {
    const given = attachments({ type: 'file', url, name: 'invoice.pdf' }, { type: 'image', url });
    const shown = html('Attachments', given, 'all');
    expect(shown).toContain('invoice.pdf');
    expect(shown).not.toMatch(/href=|src=/);
    expect(html('Avatar', { name: 'Group', seed: '1', photo: url }, 'all')).not.toMatch(/src=/);
  });

  test('images of other origins are loaded only if their origin is allowed', () => {
    const url = 'https://tracker.example/p.gif';
    const picture = attachments({ type: 'image', url });
    const avatar = { name: 'Big Group', seed: '1', photo: url };
    for (const origins of [undefined, [], ['https://cdn.example', 'https://tracker.example.org']]) {
      expect(html('Attachments', picture, origins)).not.toMatch(/src=|href=/);
      expect(html('Attachments', picture, origins)).toContain('Load the image from tracker.example');
      expect(html('Avatar', avatar, origins)).toMatch(/data-initials="BG"/);
      expect(html('Avatar', avatar, origins)).not.toMatch(/src=/);
    }
    for (const origins of ['all', ['https://tracker.example']]) {
      expect(html('Attachments', picture, origins)).toContain(`src="${url}"`);
      expect(html('Avatar', avatar, origins)).toContain(`src="${url}"`);
    }
    // The address of a blob is asked for once the page runs.
    expect(html('Attachments', attachments({ type: 'image', id: '5' }))).toContain('<img alt=');
    expect(html('Attachments', attachments({ type: 'image', url: `${SERVICE}/users/5.json` }))).not.toContain('<img');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('a reaction can have the name %s', (name) => {
    const message = { ...received([]), key: '1', state: 'sent', reactions: [{ name, count: 2, own: false }] };
    const shown = html('MessageItem', { message, isFirst: true, isLast: true, isGroup: false, actions: {} });
    expect(shown).toContain(`aria-label="${name}, 2"`);
  });
});
