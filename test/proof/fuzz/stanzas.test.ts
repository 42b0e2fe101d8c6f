import type { XmlElement } from '@xmpp/client';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { CHAT, CHAT_DOMAIN, closeStreams, jidOf, openChat, roomOf } from '../../support/clients/xmpp.ts';
import { createDialog, send } from '../../support/fixtures/chat.ts';
import { createUsers, type TestUser } from '../../support/fixtures/users.ts';
import { resolved } from '../../support/operations/operation.ts';
import { Addresses, stanzas } from '../../support/operations/stanzas.ts';
import { expectMasked, isFault } from './log.ts';
import { fuzz, RUNS, TEST_TIMEOUT_MS } from './run.ts';
import { hostileText } from './values.ts';

useApp(CHAT);

/** A separate process, because an uncaught error would end it. */
let service: Service;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let mallory: TestUser;
let ids: Record<string, (string | number)[]>;

const SECRET = 'only for bob and carol';

beforeAll(async () => {
  folder = await createDataDir();
  service = await startService(folder.dataDir, {
    DATABASE_URL: String(running.database.config.connectionString),
    CHAT_DOMAIN,
  });
  const [one, bob, carol] = await createUsers(3);
  mallory = one;
  const [own, theirs, theirPair] = [
    await createDialog(mallory, [bob]),
    await createDialog(bob, [carol], 'GROUP', SECRET),
    await createDialog(bob, [carol], 'PRIVATE'),
  ];
  const messages = [
    await send(mallory, own, 'mine'),
    await send(bob, theirs, SECRET),
    await send(bob, theirPair, SECRET),
  ];
  ids = { user: [bob.id, carol.id, mallory.id], dialog: [own, theirs, theirPair], message: messages };
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await folder.remove();
});
afterEach(closeStreams);

const fixture = {
  pick: (kind: string, place: number | string) =>
    typeof place === 'number' ? ids[kind]![place % ids[kind]!.length]! : kind === 'user' ? 999_999 : '0'.repeat(24),
};

type Change = (element: Mutable, value: string, place: number) => void;

/** An element of `ltx`, which the standard client uses. */
interface Mutable {
  name: string;
  attrs: Record<string, string | undefined>;
  children: (Mutable | string)[];
}

const elementsIn = (element: Mutable): Mutable[] => [
  element,
  ...element.children.flatMap((child) => (typeof child === 'string' ? [] : elementsIn(child))),
];

const CHANGES: Record<string, Change> = {
  attribute: ({ attrs }, value, place) => {
    const names = Object.keys(attrs);
    if (names.length > 0) attrs[names[place % names.length]!] = value;
  },
  'no attribute': ({ attrs }, _value, place) => {
    const names = Object.keys(attrs);
    if (names.length > 0) delete attrs[names[place % names.length]!];
  },
  type: ({ attrs }, _value, place) => {
    const types = ['chat', 'groupchat', 'headline', 'error', 'get', 'set', 'result', 'unavailable', 'subscribe', 'x'];
    attrs.type = types[place % types.length];
  },
  address: ({ attrs }, _value, place) => {
    const all = [
      ...ids.user!.map((id) => jidOf({ id: Number(id) })),
      ...ids.dialog!.map((id) => roomOf(String(id), 1)),
    ];
    attrs.to = [...all, CHAT_DOMAIN, '@', `muc.${CHAT_DOMAIN}`][place % (all.length + 3)];
  },
  sender: ({ attrs }) => {
    attrs.from = jidOf({ id: Number(ids.user![0]) }, 'web');
  },
  text: ({ children }, value) => void children.push(value),
  'no content': (element) => {
    element.children = [];
  },
  'content twice': (element) => void element.children.push(...element.children),
  namespace: ({ attrs }, value) => {
    attrs.xmlns = value;
  },
  copy: (element) => void element.children.push({ ...element, children: [...element.children] }),
};

const mutation = fc.record({
  change: fc.constantFrom(...Object.keys(CHANGES)),
  value: hostileText,
  place: fc.nat(50),
  target: fc.nat(10),
});

const sentStanza = fc.oneof(
  ...stanzas.map((stanza) =>
    fc
      .record({ args: fc.record(stanza.args), mutations: fc.array(mutation, { maxLength: 3 }) })
      .map((chosen) => ({ stanza, ...chosen })),
  ),
);

test(
  'stanzas in any form are answered where they must be, and reveal nothing of others',
  async () => {
    await fuzz(fc.array(sentStanza, { minLength: 1, maxLength: 12 }), converse, RUNS * 25);
    expect(service.output().split('\n').filter(isFault)).toEqual([]);
  },
  TEST_TIMEOUT_MS,
);

type Sent = typeof sentStanza extends fc.Arbitrary<infer Value> ? Value : never;

async function converse(sent: Sent[]): Promise<void> {
  const chat = await openChat(mallory, 'fuzz', { app: service, secret: mallory.password });
  const texts = sent.map(({ stanza, args, mutations }, nth) => {
    const element = stanza.write(resolved(args, fixture) as never, new Addresses(APPLICATION.id)) as XmlElement &
      Mutable;
    for (const { change, value, place, target } of mutations) {
      const all = elementsIn(element);
      CHANGES[change]!(all[target % all.length]!, value, place);
    }
    const mustAnswer =
      element.name === 'iq' && /^(get|set)$/.test(element.attrs.type ?? '') && stanza.answers === 'all';
    if (mustAnswer) element.attrs.id = `must-${nth}`;
    return { text: String(element), id: mustAnswer ? `must-${nth}` : undefined };
  });
  chat.send(...texts.map(({ text }) => text));
  const frames = await chat.settle().catch(() => chat.frames);
  const received = chat.frames.join('');
  const isEnded = received.includes('<stream:error');
  for (const { id, text } of isEnded ? [] : texts)
    if (id)
      expect({ text, isAnswered: frames.some((frame) => frame.includes(`id="${id}"`)) }).toMatchObject({
        isAnswered: true,
      });
  expect(received).not.toContain(SECRET);
  expectMasked(received);
  chat.socket.terminate();
}
