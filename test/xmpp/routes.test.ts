import { expect, test } from 'vitest';
import { ChatAddresses } from '../../src/xmpp/addresses.ts';
import { routes } from '../../src/xmpp/routes.ts';
import { parseFrame } from '../../src/xmpp/xml/parser.ts';
import { CHAT_DOMAIN } from '../support/clients/xmpp.ts';
import { resolved } from '../support/operations/operation.ts';
import { Addresses, stanzas } from '../support/operations/stanzas.ts';

const addresses = new ChatAddresses(CHAT_DOMAIN);
const ids = { pick: (kind: string) => (kind === 'user' ? 2 : '6560a1b2c3d4e5f601234567') };

/** The route that answers a stanza of user 1. */
function routeOf(frame: string) {
  const element = parseFrame(frame, 10_000);
  const { id, type, to } = element.attributes;
  const own = { kind: 'user' as const, applicationId: 92, userId: 1, resource: undefined };
  const stanza = { element, id, type, to, target: to ? addresses.parse(to) : own };
  return routes.find((route) => route.stanza === element.name && route.matches(stanza));
}

test('each stanza that a route answers is listed for the proofs, which compare it with its operation and mutate it', () => {
  const listed = stanzas.map(({ name, write, example, graphql, resolve }) => ({
    name,
    route: routeOf(String(write(resolved(example, ids) as never, new Addresses(92)))),
    isCompared: graphql !== undefined || resolve !== undefined,
  }));
  expect(listed.filter(({ route }) => !route)).toEqual([]);
  const missing = routes.filter((route) => !listed.some((one) => one.route === route));
  expect(missing.map(({ stanza, document, matches }) => ({ stanza, document, matches: String(matches) }))).toEqual([]);
  const compared = new Set(listed.filter(({ isCompared }) => isCompared).map(({ route }) => route));
  const withOperation = routes.filter(({ document }) => document !== undefined);
  expect(withOperation.filter((route) => !compared.has(route)).map(({ matches }) => String(matches))).toEqual([]);
});
