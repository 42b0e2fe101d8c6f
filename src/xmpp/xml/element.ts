export const NS = {
  client: 'jabber:client',
  stream: 'http://etherx.jabber.org/streams',
  framing: 'urn:ietf:params:xml:ns:xmpp-framing',
  tls: 'urn:ietf:params:xml:ns:xmpp-tls',
  sasl: 'urn:ietf:params:xml:ns:xmpp-sasl',
  bind: 'urn:ietf:params:xml:ns:xmpp-bind',
  session: 'urn:ietf:params:xml:ns:xmpp-session',
  streams: 'urn:ietf:params:xml:ns:xmpp-streams',
  stanzas: 'urn:ietf:params:xml:ns:xmpp-stanzas',
  management: 'urn:xmpp:sm:3',
  carbons: 'urn:xmpp:carbons:2',
  forward: 'urn:xmpp:forward:0',
  markers: 'urn:xmpp:chat-markers:0',
  states: 'http://jabber.org/protocol/chatstates',
  muc: 'http://jabber.org/protocol/muc',
  mucUser: 'http://jabber.org/protocol/muc#user',
  items: 'http://jabber.org/protocol/disco#items',
  roster: 'jabber:iq:roster',
  privacy: 'jabber:iq:privacy',
  last: 'jabber:iq:last',
  ping: 'urn:xmpp:ping',
} as const;

/** A parsed element. Prefixes are resolved; attributes with a prefix other than `xml` are dropped. */
export class Element {
  readonly name: string;
  readonly namespace: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly children: (Element | string)[] = [];

  constructor(name: string, namespace: string, attributes: Readonly<Record<string, string | undefined>> = {}) {
    this.name = name;
    this.namespace = namespace;
    this.attributes = attributes;
  }

  get elements(): Element[] {
    return this.children.filter((child) => typeof child !== 'string');
  }

  /** The first child of this name. */
  find(name: string, namespace?: string): Element | undefined {
    return this.elements.find((child) => child.is(name, namespace));
  }

  is(name: string, namespace?: string): boolean {
    return this.name === name && (namespace === undefined || this.namespace === namespace);
  }

  /** Direct text, without that of children. */
  get text(): string {
    return this.children.filter((child) => typeof child === 'string').join('');
  }
}
