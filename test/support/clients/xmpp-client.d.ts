// The package has no types of its own.
declare module '@xmpp/client' {
  export interface XmlElement {
    is: (name: string, namespace?: string) => boolean;
    getChildText: (name: string) => string | null;
    toString: () => string;
  }
  export interface XmppClient {
    on: (event: string, listener: (stanza: XmlElement) => void) => void;
    start: () => Promise<{ toString: () => string }>;
    stop: () => Promise<unknown>;
    send: (element: XmlElement) => Promise<void>;
    reconnect: { stop: () => void };
    iqCaller: { request: (element: XmlElement, timeoutMs?: number) => Promise<XmlElement> };
  }
  export function client(options: Record<string, unknown>): XmppClient;
  export function xml(name: string, attributes?: object | string, ...children: (XmlElement | string)[]): XmlElement;
  export function jid(address: string): { toString: () => string };
}
