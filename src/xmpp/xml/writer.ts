/** Escaped: only the functions of this file make it from other text. */
export type Xml = string & { readonly isXml: true };

type Attributes = Readonly<Record<string, string | number | null | undefined>>;

export const NOTHING = '' as Xml;

/** Characters that XML 1.0 forbids even if escaped, including lone surrogates. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Clients send such characters unescaped. */
export function withoutForbidden(text: string): string {
  return text.replace(FORBIDDEN, '');
}

export function isName(name: string): boolean {
  return NAME.test(name);
}

/** Also carriage returns, which parsers would read as line feeds. */
export function escaped(text: string): Xml {
  return withoutForbidden(text).replace(/[&<>"'\r]/g, (character) => ESCAPES[character]!) as Xml;
}

/** Also white space, which parsers would read as spaces. */
function escapedAttribute(text: string): string {
  return withoutForbidden(text).replace(/[&<>"'\t\n\r]/g, (character) => ESCAPES[character]!);
}

/** Attributes without a value are left out. Names must be valid. */
export function tag(name: string, attributes: Attributes, ...content: Xml[]): Xml {
  let start = `<${name}`;
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined && value !== null) start += ` ${key}="${escapedAttribute(String(value))}"`;
  }
  const inner = content.join('');
  return (inner === '' ? `${start}/>` : `${start}>${inner}</${name}>`) as Xml;
}

export function joined(parts: readonly Xml[]): Xml {
  return parts.join('') as Xml;
}
