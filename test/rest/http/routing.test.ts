import { describe, expect, test } from 'vitest';
import { routingOf } from '../../../src/rest/http/routing.ts';
import { routes } from '../../../src/rest/index.ts';

// Unusual paths that the tests of the endpoints do not send.

const routing = routingOf(routes);
const ID = 'a'.repeat(24);

function found(method: string, url: string) {
  const { route, params } = routing.find(method, url) ?? {};
  return route && [route.path, params];
}

test('every endpoint is found by its own path', () => {
  for (const { method, path, only = {}, several } of routes) {
    const value = (name: string) => {
      if (several && name === 'ids') return `${ID},${ID}`;
      if (!only[name]) return `any_${name}`;
      return only[name].test('7') ? '7' : '0'.repeat(34);
    };
    const params = Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, value(name!)]));
    const url = path.replace(/:(\w+)/g, (_, name) => params[name]!);
    expect(found(method.toUpperCase(), url)).toEqual([path, params]);
    expect(routing.find(method.toUpperCase(), `${url}?a=/b/c`)?.route.path).toBe(path);
  }
});

describe('path parameters', () => {
  test.each([
    [`/chat/Message/${ID}`, '/chat/Message/:ids', { ids: ID }],
    ['/class/a%20b', '/class/:name', { name: 'a b' }],
    ['/class/a%2Fb', '/class/:name', { name: 'a/b' }],
    ['/class/a%252Fb', '/class/:name', { name: 'a%2Fb' }],
    ['/class/100%25', '/class/:name', { name: '100%' }],
    ['/class/a+b;c=d', '/class/:name', { name: 'a+b;c=d' }],
    ['/class/%C3%BC%F0%9F%98%80', '/class/:name', { name: 'ü😀' }],
    ['/class/%00', '/class/:name', { name: '\0' }],
    ['/class/__proto__', '/class/:name', { name: '__proto__' }],
    ['/class/..', '/class/:name', { name: '..' }],
  ])('%s is routed with its parameters', (url, path, params) => {
    expect(found('PUT', url)).toEqual([path, params]);
  });

  test('lists of ids are distinguished from single ids, also when encoded and for any length', () => {
    const many = Array(500).fill(ID).join(',');
    expect(found('PUT', `/data/Cars/${ID}`)).toEqual(['/data/:class/:id', { class: 'Cars', id: ID }]);
    expect(found('DELETE', '/data/Cars/a,b')).toEqual(['/data/:class/:ids', { class: 'Cars', ids: 'a,b' }]);
    expect(found('DELETE', '/data/Cars/a%2Cb')).toEqual(['/data/:class/:ids', { class: 'Cars', ids: 'a,b' }]);
    expect(found('DELETE', `/chat/Message/${many}`)).toEqual(['/chat/Message/:ids', { ids: many }]);
    expect(found('GET', '/blobs/7')).toEqual(['/blobs/:id', { id: '7' }]);
    expect(found('GET', `/blobs/${'0'.repeat(34)}`)).toEqual(['/blobs/:uid', { uid: '0'.repeat(34) }]);
  });
});

test('literal segments take precedence over parameters, and HEAD is routed like GET', () => {
  expect(found('GET', '/users/by_login')).toEqual(['/users/by_login', {}]);
  expect(found('DELETE', '/users/by_login')).toEqual(['/users/:id', { id: 'by_login' }]);
  expect(found('GET', '/data/Cars/multi')).toEqual(['/data/:class/:id', { class: 'Cars', id: 'multi' }]);
  expect(found('HEAD', '/users/7')).toEqual(found('GET', '/users/7'));
});

test.each([
  ['GET', '/'],
  ['GET', ''],
  ['GET', '*'],
  ['GET', '/Users'],
  ['GET', '//users'],
  ['GET', '/users//'],
  ['GET', '/users/'],
  ['GET', '/data//7'],
  ['GET', '/data/Cars/'],
  ['GET', '/blobs/seven'],
  ['GET', '/users/7/8'],
  ['PATCH', '/users/7'],
  ['CONNECT', '/users/7'],
  [undefined, '/users/7'],
  ['GET', '/users/%'],
  ['GET', '/users/%zz'],
  ['GET', '/users/%C3'],
  ['GET', '/users/%ED%A0%80'],
])('no endpoint matches %s %s', (method, url) => {
  expect(routing.find(method, url)).toBeUndefined();
});
