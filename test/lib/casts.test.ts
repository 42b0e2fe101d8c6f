import { describe, expect, test } from 'vitest';
import { parseForm, parseJson } from '../../src/lib/bracket-keys.ts';
import {
  readFlag,
  readIdList,
  readInteger,
  readIntegerList,
  readList,
  readNumberedObject,
  readText,
  readTimestamp,
  splitCommas,
} from '../../src/lib/casts.ts';
import type { JsonValue, OptionalJson } from '../../src/lib/json.ts';
import { fc } from '../support/app/properties.ts';

describe('readInteger', () => {
  test.each<[OptionalJson, number]>([
    [5, 5],
    [-5, -5],
    ['5', 5],
    ['-577359397', -577359397],
    ['+5', 5],
    ['007', 7],
    ['-0', 0],
    [-0, 0],
    [1e3, 1000],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('readInteger parses %j', (value, integer) => {
    expect(readInteger(value)).toBe(integer);
  });

  test.each<[OptionalJson]>([
    [undefined],
    [null],
    [true],
    [''],
    [' '],
    ['-'],
    ['abc'],
    ['5 '],
    ['1.5'],
    ['1.0'],
    ['1e3'],
    ['0x10'],
    ['٣'],
    ['--5'],
    [1.5],
    ['9007199254740992'],
    [2 ** 53],
    ['9'.repeat(400)],
    [['5']],
    [parseForm('a=5')],
  ])('readInteger rejects %j', (value) => {
    expect(readInteger(value)).toBeUndefined();
  });
});

describe('readFlag', () => {
  test.each<[OptionalJson]>([[1], ['1'], [true], ['true']])('readFlag reads %j as true', (value) =>
    expect(readFlag(value)).toBe(true),
  );
  test.each<[OptionalJson]>([[0], ['0'], [false], ['false'], ['']])('readFlag reads %j as false', (value) =>
    expect(readFlag(value)).toBe(false),
  );
  test.each<[OptionalJson]>([[undefined], [null], [2], ['yes'], ['TRUE'], ['01'], [[]], [[1]], [parseForm('')]])(
    'readFlag reads %j as neither',
    (value) => expect(readFlag(value)).toBeUndefined(),
  );
});

describe('readText', () => {
  test.each<[OptionalJson, string | null | undefined]>([
    [' bob ', ' bob '],
    ['', ''],
    [5, '5'],
    [-1.5, '-1.5'],
    [true, 'true'],
    [false, 'false'],
    [null, null],
    [undefined, undefined],
    [['a'], undefined],
    [parseForm('a=1'), undefined],
  ])('readText reads %j as %j', (value, text) => {
    expect(readText(value)).toBe(text);
  });
});

describe('readList', () => {
  test.each<[form: string, list: unknown[]]>([
    ['', []],
    ['key=', []],
    ['key[]=', []],
    ['key[]=a&key[]=b', ['a', 'b']],
    ['key[]=a,b&key[]=c', ['a,b', 'c']],
    ['key[]=a%2Cb', ['a', 'b']],
    ['key[0]=a&key[1]=b', ['a', 'b']],
    ['key[10]=b&key[9]=a', ['a', 'b']],
    ['key[0]=a,b', ['a', 'b']],
    ['key=8%2C%209', ['8', '9']],
    ['key=8,9', ['8', '9']],
    ['key=8', ['8']],
    ['key=+,,8,', ['8']],
    ['key[a]=1', [{ a: '1' }]],
  ])('readList reads the form %j', (form, list) => {
    expect(readList(parseForm(form).key)).toEqual(list);
  });

  test.each<[json: string, list: unknown[]]>([
    ['{}', []],
    ['{"key":null}', []],
    ['{"key":[]}', []],
    ['{"key":{}}', []],
    ['{"key":[1,"2",null]}', [1, '2', null]],
    ['{"key":["a,b"]}', ['a', 'b']],
    ['{"key":"a, b,,c"}', ['a', 'b', 'c']],
    ['{"key":8}', [8]],
    ['{"key":false}', [false]],
    ['{"key":[{"a":1}]}', [{ a: 1 }]],
    ['{"key":{"1":"a","2":"b"}}', ['a', 'b']],
  ])('readList reads the JSON %s', (json, list) => {
    expect(readList(parseJson(json).key)).toEqual(list);
  });
});

describe('readIntegerList', () => {
  test.each<[OptionalJson, number[] | undefined]>([
    [undefined, []],
    ['', []],
    ['8, 9', [8, 9]],
    [
      ['8', ' 9 ', '', 8],
      [8, 9],
    ],
    [7, [7]],
    [parseForm('0=3&1=-4'), [3, -4]],
    ['8,x', undefined],
    [['8', null], undefined],
    [[1.5], undefined],
    [true, undefined],
    [parseForm('a=1'), undefined],
  ])('readIntegerList reads %j as %j', (value, list) => {
    expect(readIntegerList(value)).toEqual(list);
  });
});

describe('readIdList', () => {
  test.each<[OptionalJson, string[]]>([
    [undefined, []],
    [null, []],
    ['a,b , a', ['a', 'b']],
    [
      [' a ', '', 'b', 'a', 5, '5'],
      ['a', 'b', '5'],
    ],
    [[true, null, ['x'], parseForm('a=1'), 'y'], ['y']],
    [12, ['12']],
  ])('readIdList reads %j as %j', (value, ids) => {
    expect(readIdList(value)).toEqual(ids);
  });
});

describe('readNumberedObject', () => {
  test.each<[OptionalJson, unknown[] | undefined]>([
    [parseForm('0=a&1=b'), ['a', 'b']],
    [parseForm('1=a&2=b'), ['a', 'b']],
    [parseForm('10=c&2=b&01=a'), ['a', 'b', 'c']],
    [parseForm(''), []],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [parseForm('0=a&x=b'), undefined],
    [parseForm('-1=a'), undefined],
    ['a', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('readNumberedObject reads %j as %j', (value, items) => {
    expect(readNumberedObject(value)).toEqual(items);
  });
});

test('splitCommas trims items and drops empty ones', () => {
  expect(splitCommas(' a, b,,c , ')).toEqual(['a', 'b', 'c']);
});

describe('readMoment', () => {
  test.each<[OptionalJson, string]>([
    [0, '1970-01-01T00:00:00.000Z'],
    [1795196819, '2026-11-20T17:46:59.000Z'],
    ['1795196819', '2026-11-20T17:46:59.000Z'],
    ['1480327065.456978', '2016-11-28T09:57:45.457Z'],
    [1480327065.456978, '2016-11-28T09:57:45.457Z'],
    [1.001, '1970-01-01T00:00:01.001Z'],
    ['-1', '1969-12-31T23:59:59.000Z'],
    ['2023', '1970-01-01T00:33:43.000Z'],
    ['2012-03-20', '2012-03-20T00:00:00.000Z'],
    ['2012.03.20', '2012-03-20T00:00:00.000Z'],
    ['2012-03-20 08:47:34', '2012-03-20T08:47:34.000Z'],
    ['2012-03-20T08:47:34', '2012-03-20T08:47:34.000Z'],
    ['2012-03-20T08:47:34Z', '2012-03-20T08:47:34.000Z'],
    ['2012-03-20t08:47:34z', '2012-03-20T08:47:34.000Z'],
    ['2012-03-20T08:47Z', '2012-03-20T08:47:00.000Z'],
    ['2012-03-20T08:47:34.5Z', '2012-03-20T08:47:34.500Z'],
    ['2012-03-20T08:47:34,123456Z', '2012-03-20T08:47:34.123Z'],
    ['2012-03-20T08:47:34+02:00', '2012-03-20T06:47:34.000Z'],
    ['2012-03-20T08:47:34-0230', '2012-03-20T11:17:34.000Z'],
    ['2012-03-20 23:47:34-02', '2012-03-21T01:47:34.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('readMoment parses %j', (value, iso) => {
    expect(new Date(readTimestamp(value) ?? Number.NaN).toISOString()).toBe(iso);
  });

  test.each<[OptionalJson]>([
    [undefined],
    [null],
    [true],
    [''],
    ['now'],
    ['2023-02-30'],
    ['2023-02-29'],
    ['2100-02-29'],
    ['2023-13-01'],
    ['2023-00-01'],
    ['2023-01-00'],
    ['2023.02.30'],
    ['2023-01.01'],
    ['2023/01/01'],
    ['2023-1-1'],
    ['23-01-01'],
    ['0000-12-31'],
    ['10000-01-01'],
    ['0001-01-01T00:00:00+01:00'],
    ['9999-12-31T23:59:59-01:00'],
    ['2023.01.01 10:00:00'],
    ['2023-01-01 '],
    ['2023-01-01T'],
    ['2023-01-01T10'],
    ['2023-01-01T24:00:00'],
    ['2023-01-01T10:60:00'],
    ['2023-01-01T10:00:60'],
    ['2023-01-01T10:00:00+24:00'],
    ['2023-01-01T10:00:00+01:60'],
    ['2023-01-01T10:00:00 Z'],
    ['2023-01-01T10:00:00CET'],
    [' 2023-01-01'],
    ['２０２３-01-01'],
    ['1e9'],
    ['1.'],
    ['.5'],
    ['253402300800'],
    [-62135596801],
    [Number.POSITIVE_INFINITY],
    ['9'.repeat(400)],
    [['2023-01-01']],
  ])('readMoment rejects %j', (value) => {
    expect(readTimestamp(value)).toBeUndefined();
  });

  test('readMoment restores every time from its ISO text and its Unix seconds', () => {
    const moments = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moments, (moment) => {
        expect(readTimestamp(moment.toISOString())).toBe(moment.getTime());
        expect(readTimestamp(moment.getTime() / 1000)).toBe(moment.getTime());
      }),
    );
  });
});

test('no reader throws an unexpected error on any value', () => {
  const readers = [
    readInteger,
    readFlag,
    readText,
    readList,
    readIntegerList,
    readIdList,
    readNumberedObject,
    readTimestamp,
  ];
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const read of readers) read(value as JsonValue);
    }),
  );
});
