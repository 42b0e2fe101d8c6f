import { describe, expect, test } from 'vitest';
import { create } from 'xmlbuilder2';
import { errorsXml, type XmlRoot, xmlOf } from '../../../src/rest/http/xml.ts';
import { fc } from '../../support/app/properties.ts';

const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>';

describe('XML roots', () => {
  test.each<[name: string, answer: unknown, root: XmlRoot | undefined, xml: string]>([
    ['a wrapper key becomes the root', { user: { id: 7 } }, undefined, '<user><id type="integer">7</id></user>'],
    [
      'a wrapper of two words becomes the root',
      { geo_datum: { latitude: 1.5 } },
      undefined,
      '<geo-datum><latitude type="float">1.5</latitude></geo-datum>',
    ],
    ['a wrapper becomes the root even where a route also returns lists', { event: {} }, 'events', '<event/>'],
    ['a key that wraps no record is not a root', { user: 'x' }, undefined, '<result><user>x</user></result>'],
    [
      'a key with siblings is not a root',
      { user: {}, a: 1 },
      undefined,
      '<result><user/><a type="integer">1</a></result>',
    ],
    [
      'a bare record has the root of its route',
      { _id: 'd', name: 'n' },
      'dialog',
      '<dialog><name>n</name><_id>d</_id></dialog>',
    ],
    ['any other response has the root result', { answer: 'hi' }, undefined, '<result><answer>hi</answer></result>'],
    ['an empty object has the root result', {}, undefined, '<result/>'],
    ['null has the root result', null, undefined, '<result nil="true"/>'],
    [
      'a page keeps its fields before the items',
      { current_page: 1, per_page: 10, total_entries: 1, items: [{ user: { id: 7 } }] },
      'users',
      '<users><current-page type="integer">1</current-page><per-page type="integer">10</per-page><total-entries type="integer">1</total-entries><items type="array"><user><id type="integer">7</id></user></items></users>',
    ],
    [
      'a list of bare records',
      { skip: 0, items: [{ a: 'b' }] },
      'dialogs',
      '<dialogs><skip type="integer">0</skip><items type="array"><item><a>b</a></item></items></dialogs>',
    ],
    ['an empty list', { items: [] }, 'records', '<records><items type="array"/></records>'],
    [
      'a count',
      { items: { count: 5 } },
      'dialogs',
      '<dialogs><items><count type="integer">5</count></items></dialogs>',
    ],
    [
      'a bare array stands directly under its root',
      [{ subscription: { id: 1 } }],
      'subscriptions',
      '<subscriptions type="array"><subscription><id type="integer">1</id></subscription></subscriptions>',
    ],
    [
      'a bare array of bare records',
      [{ name: 'A' }],
      'contacts',
      '<contacts type="array"><item><name>A</name></item></contacts>',
    ],
  ])('%s in XML', (_name, answer, root, xml) => {
    expect(xmlOf(answer, root)).toBe(PROLOG + xml);
  });
});

describe('XML members', () => {
  test.each<[name: string, member: Record<string, unknown>, xml: string]>([
    ['a space in a key becomes a hyphen', { last_message_date_sent: null }, '<last-message-date-sent nil="true"/>'],
    ['a leading underscore stays', { _parent_id: 'x' }, '<_parent-id>x</_parent-id>'],
    ['alone', { _: 'x' }, '<_>x</_>'],
    ['an underscore before another', { __v: 'x' }, '<_-v>x</_-v>'],
    [
      'keys with a leading underscore come last',
      { _id: 'i', a: 'a', _parent_id: 'p', b: 'b' },
      '<a>a</a><b>b</b><_id>i</_id><_parent-id>p</_parent-id>',
    ],
    ['a letter that is not allowed in names by every edition of XML', { имя_я: 'x' }, '<entry key="имя_я">x</entry>'],
    ['a key that is not an XML name keeps its text', { 'a b_c': 'x' }, '<entry key="a b_c">x</entry>'],
    [
      'such a key is typed like any other',
      { '7': [true] },
      '<entry key="7" type="array"><value type="boolean">true</value></entry>',
    ],
    ['a hyphen in front', { '-a': null }, '<entry key="-a" nil="true"/>'],
    ['an empty key', { '': 'x' }, '<entry key="">x</entry>'],
    ['a colon, which would declare a namespace', { 'a:b': 'x' }, '<entry key="a:b">x</entry>'],
    [
      'a name that XML reserves',
      { xmlns: 'x', XML_a: 'y' },
      '<entry key="xmlns">x</entry><entry key="XML_a">y</entry>',
    ],
    ['an emoji', { '👍': [7] }, '<entry key="👍" type="array"><value type="integer">7</value></entry>'],
    [
      'a key of forbidden characters',
      { '<&>"\t\n\r\0\ud800': 'x' },
      '<entry key="&lt;&amp;&gt;&quot;&#9;&#10;&#13;\ufffd\ufffd">x</entry>',
    ],
    [
      'integers',
      { a: -12, b: 0, c: 2 ** 53 },
      '<a type="integer">-12</a><b type="integer">0</b><c type="integer">9007199254740992</c>',
    ],
    ['other numbers', { a: 1.5, b: 1e21 }, '<a type="float">1.5</a><b type="float">1e+21</b>'],
    ['booleans', { a: true, b: false }, '<a type="boolean">true</a><b type="boolean">false</b>'],
    ['a text has no type, whatever it contains', { a: '12', b: 'true', c: '' }, '<a>12</a><b>true</b><c/>'],
    ['a time', { a: '2024-02-29T23:59:59Z' }, '<a type="datetime">2024-02-29T23:59:59Z</a>'],
    [
      'a text that resembles a time',
      {
        a: '2026-02-29T00:00:00Z',
        b: '2026-01-01T24:00:00Z',
        c: '2026-01-01T00:00:00.000Z',
        d: '2026-01-01',
        e: '2026-01-01T00:00:00+00:00',
        f: '2026-01-01T00:00:00Z ',
      },
      '<a>2026-02-29T00:00:00Z</a><b>2026-01-01T24:00:00Z</b><c>2026-01-01T00:00:00.000Z</c><d>2026-01-01</d><e>2026-01-01T00:00:00+00:00</e><f>2026-01-01T00:00:00Z </f>',
    ],
    [
      'objects have no type',
      { reactions: { own: ['like'], total: { like: 2 } } },
      '<reactions><own type="array"><value>like</value></own><total><like type="integer">2</like></total></reactions>',
    ],
    ['empty objects', { a: {}, b: [] }, '<a/><b type="array"/>'],
    [
      'items: wrapped, objects, lists, scalars',
      { a: [{ user: { id: 1 } }, { id: 2 }, { user: 3 }, [4], 'x', 5, null, '2026-01-01T00:00:00Z'] },
      '<a type="array"><user><id type="integer">1</id></user><item><id type="integer">2</id></item><item><user type="integer">3</user></item><item type="array"><value type="integer">4</value></item><value>x</value><value type="integer">5</value><value nil="true"/><value type="datetime">2026-01-01T00:00:00Z</value></a>',
    ],
    ['markup in a text', { a: '<b>&amp;]]></b>"\'' }, '<a>&lt;b&gt;&amp;amp;]]&gt;&lt;/b&gt;"\'</a>'],
    ['whitespace in a text', { a: ' \t\n\r\n ' }, '<a> \t\n&#13;\n </a>'],
    [
      'characters that XML 1.0 cannot represent',
      { a: 'a\0\x08\x0b\x1f\ud83dz\udc4d\ufffe\uffff👍\x7f\x85\ue000' },
      '<a>a\ufffd\ufffd\ufffd\ufffd\ufffdz\ufffd\ufffd\ufffd👍\x7f\x85\ue000</a>',
    ],
  ])('%s in XML', (_name, member, xml) => {
    expect(xmlOf(member, 'record')).toBe(`${PROLOG}<record>${xml}</record>`);
  });
});

describe('XML errors', () => {
  test.each<[name: string, body: unknown, sentences: string[]]>([
    ['array form', { errors: ['Token is required', 'b < c'] }, ['Token is required', 'b &lt; c']],
    ['base form', { errors: { base: ['Forbidden. Need user.'] } }, ['Forbidden. Need user.']],
    [
      'field form with its texts, each once',
      {
        errors: {
          login: ['has already been taken'],
          custom_data: ['is too long (maximum is 5000 characters)'],
          base: ['Login has already been taken', 'Custom data is too long (maximum is 5000 characters)'],
        },
      },
      ['Login has already been taken', 'Custom data is too long (maximum is 5000 characters)'],
    ],
    [
      'field form without texts',
      { errors: { id: ['should be a positive integer'] } },
      ['Id should be a positive integer'],
    ],
    [
      'base form with additional fields',
      { errors: { a_b: ['x', 'y'], base: ['A b y', 'Z'] } },
      ['A b x', 'A b y', 'Z'],
    ],
    ['code and message', { code: null, message: "Couldn't find user" }, ["Couldn't find user"]],
    ['an empty object', {}, []],
    ['null', null, []],
    ['no error text', { errors: [] }, []],
  ])('%s in XML', (_name, body, sentences) => {
    const inner = sentences.map((sentence) => `<error>${sentence}</error>`).join('');
    expect(errorsXml(body)).toBe(PROLOG + (inner ? `<errors>${inner}</errors>` : '<errors/>'));
  });
});

describe('arbitrary answers', () => {
  const text = fc.string({ unit: 'binary' });
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      text,
      fc.array(tie('value')),
      fc.dictionary(
        fc.oneof(text, fc.stringMatching(/^[\w:.-]{0,6}$/), fc.constantFrom('user', 'errors', 'xmlns')),
        tie('value'),
      ),
    ),
  })).value;

  test('any response yields well-formed XML', () => {
    fc.assert(
      fc.property(json, (answer) => {
        expectWellFormed(xmlOf(answer));
        expectWellFormed(xmlOf(answer, 'record'));
        expectWellFormed(errorsXml({ errors: [JSON.stringify(answer)] }));
      }),
      { numRuns: 500 },
    );
  });

  test('texts can be read back from the XML', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (value, key) => {
        const [entry] = childrenOf(xmlOf({ [`${key} `]: value }, 'record'));
        expect(entry?.getAttribute('key')).toBe(replaced(`${key} `));
        expect(entry?.textContent).toBe(replaced(value));
      }),
      { numRuns: 500 },
    );
  });

  test('numbers can be read back from the XML', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const [value] = childrenOf(xmlOf([number]));
        expect(Number(value?.textContent)).toBe(number + 0);
      }),
    );
  });
});

function childrenOf(xml: string): Element[] {
  const root = create({ skipWhitespaceOnlyText: false }, xml).root().node as unknown as Element;
  return [...root.childNodes] as Element[];
}

function replaced(text: string): string {
  const isCharacter = (code: number) =>
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    code >= 0x10000;
  return [...text].map((character) => (isCharacter(character.codePointAt(0)!) ? character : '\ufffd')).join('');
}

/** Uses an independent parser for structure and names; it accepts invalid characters, so the test checks those. */
function expectWellFormed(xml: string): void {
  expect(() => create(xml)).not.toThrow();
  expect(xml.startsWith(PROLOG)).toBe(true);
  expect(replaced(xml)).toBe(xml);
  expectMarkup(xml.slice(PROLOG.length));
}

/** Checks that tags nest and close, attributes are quoted, and no `<`, `>` or `&` is unescaped. */
function expectMarkup(markup: string): void {
  const token =
    /<(?<close>\/)?(?<name>[^\s<>&"/:=]+)(?: [a-z]+="(?:[^<>&"]|&(?:amp|lt|gt|quot|#\d+);)*")*(?<empty>\/)?>|(?:[^<>&]|&(?:amp|lt|gt|quot|#\d+);)+/y;
  const open: string[] = [];
  while (token.lastIndex < markup.length) {
    const at = token.lastIndex;
    const found = token.exec(markup);
    if (!found) throw new Error(`not well formed: ${markup.slice(at)}`);
    const { close, name, empty } = found.groups!;
    if (close) expect(open.pop()).toBe(name);
    else if (name && !empty) open.push(name);
    if (open.length === 0) expect(token.lastIndex).toBe(markup.length);
  }
  expect(open).toEqual([]);
}
