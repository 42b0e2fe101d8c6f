import { describe, expect, test } from 'vitest';
import { ChatAddresses } from '../../src/xmpp/addresses.ts';
import { Element } from '../../src/xmpp/xml/element.ts';
import { parseFrame, StreamParser, XmlError } from '../../src/xmpp/xml/parser.ts';
import { escaped, tag } from '../../src/xmpp/xml/writer.ts';

const MAX = 256 * 1024;

function conditionOf(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    return error instanceof XmlError ? error.condition : String(error);
  }
  return 'parsed';
}

describe('parseFrame()', () => {
  test('a frame yields elements with resolved prefixes, references and CDATA', () => {
    const parsed = parseFrame(
      `<message id='a"b' to="&lt;&#x41;&amp;"><body>1 &lt; 2<![CDATA[ & <3]]></body><s:x xmlns:s="urn:s" s:y="1" xml:lang="en"/></message>`,
      MAX,
    );
    expect([parsed.name, parsed.namespace, { ...parsed.attributes }]).toEqual([
      'message',
      'jabber:client',
      { id: 'a"b', to: '<A&' },
    ]);
    expect(parsed.find('body')?.text).toBe('1 < 2 & <3');
    const other = parsed.find('x', 'urn:s')!;
    expect([other.namespace, { ...other.attributes }]).toEqual(['urn:s', { 'xml:lang': 'en' }]);
  });

  test('characters that XML forbids are removed before a frame is parsed', () => {
    expect(parseFrame('<a b="\u0001x\u001f"><c>\u0000y\ud800z\ufffe</c></a>', MAX)).toMatchObject({
      attributes: { b: 'x' },
      children: [{ children: ['yz'] }],
    });
  });

  const nested = (depth: number) => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
  const attributes = (count: number) => Array.from({ length: count }, (_, index) => ` a${index}=""`).join('');

  test.each([
    ['nothing', ''],
    ['no element', 'text'],
    ['an element that does not end', '<a>'],
    ['two elements', '<a/><b/>'],
    ['an end tag of another name', '<a></b>'],
    ['a prefix without namespace', '<s:a/>'],
    ['two attributes of one name', '<a b="1" b="2"/>'],
    ['two attributes of one name by two prefixes', '<a xmlns:x="u" xmlns:y="u" x:b="1" y:b="2"/>'],
    ['an unknown entity', '<a>&nbsp;</a>'],
    ['a reference to a forbidden character', '<a>&#0;</a>'],
    ['an attribute without quotes', '<a b=1/>'],
    ['a text after the element', '<a/>x'],
  ])('%s is not well-formed', (_name, text) => {
    expect(conditionOf(() => parseFrame(text, MAX))).toBe('not-well-formed');
  });

  test.each([
    ['a document type', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
    ['a comment', '<a><!-- b --></a>'],
    ['a processing instruction', '<a><?b c?></a>'],
    ['an XML declaration', '<?xml version="1.0"?><a/>'],
    ['a depth of 21', nested(21)],
    ['65 attributes', `<a${attributes(65)}/>`],
    ['2,001 elements', `<a>${'<b/>'.repeat(2_000)}</a>`],
    ['more than the maximum of bytes', `<a>${'ä'.repeat(MAX / 2)}</a>`],
  ])('%s is a violation of the policy', (_name, text) => {
    expect(conditionOf(() => parseFrame(text, MAX))).toBe('policy-violation');
  });

  test('a frame at the limits is parsed, also after a refused one', () => {
    expect(conditionOf(() => parseFrame(nested(20), MAX))).toBe('parsed');
    expect(conditionOf(() => parseFrame(`<a${attributes(64)}/>`, MAX))).toBe('parsed');
    expect(conditionOf(() => parseFrame(`<a>${'<b/>'.repeat(1_999)}</a>`, MAX))).toBe('parsed');
  });
});

describe('StreamParser', () => {
  const parse = (...chunks: (string | Buffer)[]) => {
    const seen: string[] = [];
    const parser = new StreamParser({
      opened: (root) => seen.push(`open ${root.name} ${root.namespace}`),
      completed: (element) => seen.push(`${element.name} ${element.text}`),
      closed: () => seen.push('close'),
    });
    for (const chunk of chunks) parser.write(Buffer.from(chunk));
    return seen;
  };
  const OPEN = `<?xml version="1.0"?><stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams">`;

  test('a stream yields its stanzas, however its bytes are divided', () => {
    const bytes = Buffer.from(`${OPEN}<a>ä€😀</a> \n<b/></stream:stream>`);
    const expected = ['open stream http://etherx.jabber.org/streams', 'a ä€😀', 'b ', 'close'];
    expect(parse(bytes)).toEqual(expected);
    expect(parse(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
  });

  test('white space between stanzas is not retained', () => {
    expect(parse(OPEN, '<a b="> "/>', ...Array.from({ length: 400 }, () => ' '.repeat(1_000)), '<b/>')).toHaveLength(3);
  });

  test('many small stanzas that arrive together are within the limit of one', () => {
    expect(parse(OPEN, '<a>0123456789</a>'.repeat(5_000))).toHaveLength(5_001);
  });

  test.each([
    ['text between stanzas', `${OPEN}x<a/>`, 'not-well-formed'],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from(`${OPEN}<a>`), Buffer.from([0xc3, 0x28])]),
      'not-well-formed',
    ],
    ['an endless stanza', `${OPEN}<a>${'x'.repeat(20_000)}`, 'policy-violation'],
    ['an endless start tag', `${OPEN}<a b="${'x'.repeat(20_000)}`, 'policy-violation'],
    ['a document type', '<!DOCTYPE a [<!ENTITY x "y">]>', 'policy-violation'],
  ])('%s ends a stream', (_name, bytes, condition) => {
    expect(conditionOf(() => parse(bytes))).toBe(condition);
  });
});

describe('the writer', () => {
  test('texts and attributes are escaped, and forbidden characters are dropped', () => {
    expect(tag('a', { b: `<&>"'\u0000`, c: undefined, d: 1 }, escaped(`<&>"'\u0001😀\ud800`))).toBe(
      '<a b="&lt;&amp;&gt;&quot;&apos;" d="1">&lt;&amp;&gt;&quot;&apos;😀</a>',
    );
    expect(tag('a', {})).toBe('<a/>');
  });
});

describe('ChatAddresses', () => {
  const addresses = new ChatAddresses('chat.example.org');

  test.each([
    ['1-92@chat.example.org', { kind: 'user', userId: 1, applicationId: 92, resource: undefined }],
    ['1-92@CHAT.example.org/Phone/2', { kind: 'user', userId: 1, applicationId: 92, resource: 'Phone/2' }],
    [
      '92_0123456789abcdef01234567@muc.chat.example.org/1',
      { kind: 'room', applicationId: 92, dialogId: '0123456789abcdef01234567', nick: '1' },
    ],
    ['chat.example.org', { kind: 'service' }],
    ['1-92@chat.example.com', undefined],
    ['01-92@chat.example.org', undefined],
    ['1@chat.example.org', undefined],
    ['92_0123@muc.chat.example.org', undefined],
    ['muc.chat.example.org', undefined],
    ['1-92@chat.example.org@chat.example.org', undefined],
    [`1-92@chat.example.org/${'x'.repeat(4_000)}`, undefined],
    ['', undefined],
  ])('%s is read', (text, expected) => {
    expect(addresses.parse(text)).toEqual(expected);
  });

  test('addresses are written in the form in which they are read', () => {
    const user = { applicationId: 92, userId: 1 };
    expect([addresses.user(user), addresses.user(user, 'phone')]).toEqual([
      '1-92@chat.example.org',
      '1-92@chat.example.org/phone',
    ]);
    expect(addresses.room({ applicationId: 92, dialogId: 'd' }, 1)).toBe('92_d@muc.chat.example.org/1');
  });
});

test('an element finds children by name and namespace', () => {
  const element = new Element('a', 'n');
  element.children.push('x', new Element('b', 'm'), new Element('b', 'n'));
  expect(element.find('b', 'n')).toBe(element.elements[1]);
  expect([element.find('c'), element.text]).toEqual([undefined, 'x']);
});
