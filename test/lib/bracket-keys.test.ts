import { describe, expect, test } from 'vitest';
import {
  flatten,
  mergeParameters,
  type Parameters,
  parametersOf,
  parseForm,
  parseJson,
  parseQuery,
} from '../../src/lib/bracket-keys.ts';
import { BadInputError } from '../../src/lib/errors.ts';
import type { JsonValue } from '../../src/lib/json.ts';
import { fc } from '../support/app/properties.ts';

const MALFORMED = 'Malformed request body';
const TOO_COMPLEX = 'Request parameters are too complex';

describe('parseForm', () => {
  test.each<[name: string, form: string, parameters: unknown]>([
    ['nothing', '', {}],
    ['brackets, raw', 'user[login]=bob&user[password]=x', { user: { login: 'bob', password: 'x' } }],
    ['brackets, escaped', 'user%5Blogin%5D=bob&user%5bpassword%5D=x', { user: { login: 'bob', password: 'x' } }],
    ['spaces and pluses', 'a=x+y%20z%2B', { a: 'x y z+' }],
    ['a name with spaces', 'a+b%20c=1', { 'a b c': '1' }],
    ['UTF-8, escaped and raw', 'a=%C3%A9&b=é', { a: 'é', b: 'é' }],
    ['an = in a value', 'a=b=c', { a: 'b=c' }],
    ['a name without value', 'a&b=', { a: '', b: '' }],
    ['empty pairs and pairs without a name', '&&=1&a=2&', { a: '2' }],
    ['a repeated plain key', 'a=1&a=2', { a: '2' }],
    ['a repeated list key', 'a[]=1&b=x&a[]=2', { a: ['1', '2'], b: 'x' }],
    ['a list below objects', 'p[o][]=1&p[o][]=2', { p: { o: ['1', '2'] } }],
    ['numbered keys', 'a[0]=x&a[10]=y', { a: { 0: 'x', 10: 'y' } }],
    ['numbered objects', 'a[1][id]=5&a[1][type]=image', { a: { 1: { id: '5', type: 'image' } } }],
    ['a list of objects', 'a[][b]=1&a[][c]=2&a[][b]=3', { a: [{ b: '1', c: '2' }, { b: '3' }] }],
    ['a list of objects with lists', 'a[][b][]=1&a[][b][]=2', { a: [{ b: ['1', '2'] }] }],
    ['a list of objects with a repeated name', 'a[][b]=1&a[][b][c]=2', { a: [{ b: '1' }, { b: { c: '2' } }] }],
    ['a list of lists', 'a[][]=1&a[][]=2', { a: [['1', '2']] }],
    ['objects and scalars in one list', 'a[]=1&a[][b]=2&a[]=3', { a: ['1', { b: '2' }, '3'] }],
    ['a scalar, then an object', 'a=1&a[b]=2', { a: { b: '2' } }],
    ['an object, then a scalar', 'a[b]=2&a=1', { a: '1' }],
    ['a list, then an object', 'a[]=1&a[b]=2', { a: { b: '2' } }],
    ['an object, then a list', 'a[b]=2&a[]=1', { a: ['1'] }],
    ['an open bracket', 'a[b=1', { 'a[b': '1' }],
    ['a closing bracket', 'a]=1', { 'a]': '1' }],
    ['a bracket group without a name', '[x]=1&[]=2', { '[x]': '1', '[]': '2' }],
    ['text after a bracket group', 'a[b]c=1&a[b]c]=2', { 'a[b]c': '1', 'a[b]c]': '2' }],
    ['brackets within brackets', 'a[b[c]]=1&a[[b]=2', { 'a[b[c]]': '1', 'a[[b]': '2' }],
    ['a closing bracket in the name', 'a][b]=1', { 'a]': { b: '1' } }],
    ['names of Object.prototype', 'toString=1&a[hasOwnProperty]=2', { toString: '1', a: { hasOwnProperty: '2' } }],
  ])('parseForm parses %s', (_name, form, parameters) => {
    expect(plain(parseForm(form))).toEqual(parameters);
  });

  test.each(['__proto__', 'constructor', 'prototype'])('parseForm drops pairs with the key segment %s', (segment) => {
    const form = [
      `${segment}=1`,
      `${segment}[x]=1`,
      `a[${segment}]=1`,
      `a[b][${segment}][c]=1`,
      `a[][${segment}]=1`,
      'b=2',
    ];
    expect(plain(parseForm(form.join('&')))).toEqual({ b: '2' });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test.each(['a=%', 'a=%4', 'a=%zz', '%=1', 'a=%ff', 'a=%C3', 'a=%ED%A0%80'])(
    'parseForm rejects the malformed escape in %s',
    (form) => {
      expect(() => parseForm(form)).toThrow(refusal(MALFORMED));
    },
  );

  test('parseForm accepts keys of 10 segments and rejects longer ones', () => {
    expect(flatten(parseForm(`a${'[b]'.repeat(9)}=1`))).toEqual([[`a${'[b]'.repeat(9)}`, '1']]);
    expect(() => parseForm(`a${'[b]'.repeat(10)}=1`)).toThrow(refusal(TOO_COMPLEX));
    expect(() => parseForm(`a${'[]'.repeat(500_000)}=1`)).toThrow(refusal(TOO_COMPLEX));
  });

  test('parseForm accepts 20,000 pairs and rejects more', () => {
    const pairs = Array.from({ length: 20_000 }, (_, index) => `a[][b][${index}]=${index}`);
    expect(flatten(parseForm(pairs.join('&')))).toHaveLength(20_000);
    expect(() => parseForm([...pairs, 'c=1'].join('&'))).toThrow(refusal(TOO_COMPLEX));
    expect(() => parametersOf(Array.from({ length: 20_001 }, () => ['a', '1']))).toThrow(refusal(TOO_COMPLEX));
  });
});

describe('parseQuery', () => {
  test.each<[name: string, query: string, parameters: unknown]>([
    ['nothing', '', {}],
    ['a form', 'a[b]=1', { a: { b: '1' } }],
    ['partly escaped JSON', '%7B%22udid%22:%22U-1%22%7D', { udid: 'U-1' }],
    ['fully escaped JSON', '%7b%22udid%22%3A%22U-1%22%7d', { udid: 'U-1' }],
    ['JSON, raw', '{"a":{"b":[1,true,null]}}', { a: { b: [1, true, null] } }],
    ['JSON with raw and escaped pluses and spaces', '{"a":"+1%2B%20"}', { a: '+1+ ' }],
    ['a form whose first name starts with a brace', '{a=1&b=2', { '{a': '1', b: '2' }],
  ])('parseQuery parses %s', (_name, query, parameters) => {
    expect(plain(parseQuery(query))).toEqual(parameters);
  });

  test.each(['{a}', '%7B%22a%22%7D', '%7B%zz%7D'])('parseQuery rejects %s', (query) => {
    expect(() => parseQuery(query)).toThrow(refusal(MALFORMED));
  });
});

describe('parseJson', () => {
  test('parseJson copies objects into objects without prototype', () => {
    const parameters = parseJson(' {"a":{"b":[{"c":1.5}]},"d":null,"e":"\\u00e9","":0} ');
    expect(plain(parameters)).toEqual({ a: { b: [{ c: 1.5 }] }, d: null, e: 'é', '': 0 });
    expect(objectsIn(parameters).map(Object.getPrototypeOf)).toEqual([null, null, null]);
  });

  test('parseJson drops keys that could reach a prototype, at any depth', () => {
    const json = '{"__proto__":{"x":1},"a":[{"constructor":1,"\\u005f_proto__":2,"b":{"prototype":3,"c":4}}]}';
    expect(plain(parseJson(json))).toEqual({ a: [{ b: { c: 4 } }] });
  });

  test.each(['', ' ', '[]', '[{"a":1}]', 'null', '1', '"a"', '{', '{"a":1', "{'a':1}", '{"a":1}x', '{"a":"', '{"a\\'])(
    'parseJson rejects %j, which is not a JSON object',
    (json) => {
      expect(() => parseJson(json)).toThrow(refusal(MALFORMED));
    },
  );

  test('parseJson accepts 10 nested objects and rejects more', () => {
    expect(() => parseJson(nested('{"a":', '1', '}', 10))).not.toThrow();
    expect(() => parseJson(nested('{"a":', '1', '}', 11))).toThrow(refusal(TOO_COMPLEX));
    expect(() => parseJson(`{"a":${nested('[', '', ']', 10)}}`)).toThrow(refusal(TOO_COMPLEX));
  });

  test.each([
    ['objects', nested('{"a":', '1', '}', 100_000)],
    ['arrays', `{"a":${nested('[', '', ']', 100_000)}}`],
    ['unclosed objects', '{"a":'.repeat(100_000)],
  ])('parseJson rejects 100,000 nested %s', (_name, json) => {
    expect(() => parseJson(json)).toThrow(refusal(TOO_COMPLEX));
  });

  test('parseJson accepts 20,000 keys over all objects and rejects more', () => {
    const contacts = (count: number) =>
      JSON.stringify({ contacts: Array.from({ length: count }, () => ({ phone: '1', name: ':"' })) });
    expect(flatten(parseJson(contacts(9_999)))).toHaveLength(19_998);
    expect(() => parseJson(contacts(10_000))).toThrow(refusal(TOO_COMPLEX));
  });

  test('parseJson ignores brackets and colons inside texts', () => {
    const text = '{[:"\\'.repeat(10_000);
    expect(plain(parseJson(JSON.stringify({ text })))).toEqual({ text });
  });
});

describe('mergeParameters', () => {
  test('mergeParameters prefers the body, merges objects and replaces arrays', () => {
    const query = parseForm('a=1&b=2&o[x]=1&o[y][z]=2&l[]=1&l[]=2&k[x]=1&m=1');
    const body = parseJson('{"b":3,"o":{"y":{"w":4}},"l":["5"],"k":null,"m":{"n":6}}');
    expect(plain(mergeParameters(query, body))).toEqual({
      a: '1',
      b: 3,
      o: { x: '1', y: { z: '2', w: 4 } },
      l: ['5'],
      k: null,
      m: { n: 6 },
    });
    expect(plain(query)).toMatchObject({ b: '2', o: { y: { z: '2' } }, l: ['1', '2'] });
  });

  test('mergeParameters returns objects without prototype', () => {
    const merged = mergeParameters(parseForm('a[b]=1'), parseForm('a[c]=1'));
    expect(objectsIn(merged).map(Object.getPrototypeOf)).toEqual([null, null]);
  });
});

describe('flatten', () => {
  test('flatten names leaves by bracket keys and returns their raw texts', () => {
    const json = '{"id":92,"on":true,"off":null,"user":{"login":"bo b+&=%é"},"a":[1,{"b":"x"},[2]],"n":{"0":-1.5}}';
    expect(flatten(parseJson(json))).toEqual([
      ['id', '92'],
      ['on', 'true'],
      ['off', ''],
      ['user[login]', 'bo b+&=%é'],
      ['a[]', '1'],
      ['a[][b]', 'x'],
      ['a[][]', '2'],
      ['n[0]', '-1.5'],
    ]);
  });

  test('flatten returns no leaf for empty objects and arrays', () => {
    expect(flatten(parseJson('{"a":{},"b":[],"c":[{}]}'))).toEqual([]);
  });
});

describe('arbitrary input', () => {
  const hostileText = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'a',
          '[',
          ']',
          '[]',
          '[0]',
          '[b]',
          '=',
          '&',
          '%',
          '%5B',
          '%5D',
          '+',
          '{',
          '}',
          '"',
          ':',
          ',',
          '\\',
        ),
        fc.constantFrom('__proto__', 'constructor', 'prototype', '[__proto__]', '"__proto__"', '{"a":', '%7B', '%22'),
        fc.string({ unit: 'binary', maxLength: 3 }),
      ),
      { maxLength: 30 },
    )
    .map((pieces) => pieces.join(''));

  test.each([
    ['parseForm', parseForm],
    ['parseQuery', parseQuery],
    ['parseJson', parseJson],
    ['parseJson of an object', (text: string) => parseJson(`{"a":${JSON.stringify(text)},${text}}`)],
  ])('%s parses or rejects any input and never modifies a prototype', (_name, parse) => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    fc.assert(
      fc.property(hostileText, (text) => {
        const parameters = readOrRefuse(parse, text);
        for (const object of objectsIn(parameters)) {
          expect(Object.getPrototypeOf(object)).toBeNull();
          expect(Object.keys(object)).not.toEqual(expect.arrayContaining([expect.stringMatching(FORBIDDEN)]));
        }
        expect(flatten(mergeParameters(parameters, parameters))).toEqual(flatten(parameters));
      }),
      { numRuns: 2_000 },
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });

  const segment = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
    .filter((text) => !/[[\]]/.test(text) && !FORBIDDEN.test(text));
  const text = fc.string({ unit: 'grapheme', maxLength: 8 });
  const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: Parameters }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 8 },
      text,
      fc.array(text, { minLength: 1, maxLength: 4 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.oneof(segment, fc.nat(20).map(String)), tie('value'), { minKeys: 1, maxKeys: 4 }),
  })).value;
  const tree = fc.dictionary(segment, value, { maxKeys: 5 });

  test('parseForm restores any tree of texts from its printed form', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom(printEscaped, printWithRawBrackets), (parameters, print) => {
        expect(plain(parseForm(print(flatten(parameters))))).toEqual(plain(parameters));
      }),
    );
  });

  test('parseJson restores any printed JSON object', () => {
    const members = fc.dictionary(segment, fc.jsonValue({ maxDepth: 8 }));
    fc.assert(
      fc.property(members, (object) => {
        const json = JSON.stringify(object).replace(/__proto__|constructor|prototype/g, 'x');
        expect(plain(parseJson(json))).toEqual(JSON.parse(json));
        expect(plain(parseQuery(encodeURI(json)))).toEqual(JSON.parse(json));
      }),
    );
  });

  test('the leaves of a parsed form are its decoded pairs', () => {
    const name = fc
      .tuple(segment, fc.array(segment, { maxLength: 3 }))
      .map(([first, rest]) => [first, ...rest.map((key) => `[${key}]`)].join(''));
    const pairs = fc.uniqueArray(fc.tuple(name, fc.array(text, { minLength: 1, maxLength: 3 })), {
      // Names with the same first segment could use one key as a scalar and as an object.
      selector: ([key]) => key.split('[')[0],
      maxLength: 6,
    });
    fc.assert(
      fc.property(pairs, fc.constantFrom(printEscaped, printWithRawBrackets), (groups, print) => {
        const sent = groups.flatMap(([key, texts]): [string, string][] =>
          texts.length === 1 ? [[key, texts[0] ?? '']] : texts.map((item) => [`${key}[]`, item]),
        );
        expect(flatten(parseForm(print(sent))).sort()).toEqual(sent.sort());
      }),
    );
  });
});

const FORBIDDEN = /^(?:__proto__|constructor|prototype)$/;

function refusal(message: string) {
  return expect.objectContaining({ message, code: 'BAD_USER_INPUT', status: 400 });
}

function readOrRefuse(parse: (text: string) => Parameters, text: string): Parameters {
  try {
    return parse(text);
  } catch (error) {
    expect(error).toBeInstanceOf(BadInputError);
    return parseForm('');
  }
}

function objectsIn(value: JsonValue): Parameters[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

function nested(open: string, inside: string, close: string, depth: number): string {
  return open.repeat(depth) + inside + close.repeat(depth);
}

function plain(value: JsonValue): unknown {
  return JSON.parse(JSON.stringify(value));
}

function printEscaped(pairs: [string, string][]): string {
  return pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}

function printWithRawBrackets(pairs: [string, string][]): string {
  return printEscaped(pairs).replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%20', '+');
}
