import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { followCredentials } from '../graphql/follow-credentials.ts';
import { type ChatSession, signInToChat } from '../resolvers/sessions/chat-sign-in.ts';
import { MAX_RESOURCE } from './addresses.ts';
import { readPlain, SIGN_IN } from './sign-in.ts';
import type { XmppStream } from './stream.ts';
import { type Element, NS } from './xml/element.ts';
import { escaped, tag } from './xml/writer.ts';

const MECHANISM = 'PLAIN';
const RANDOM_RESOURCE_BYTES = 12;

/** Clients prefer any other mechanism, and then cannot go on. */
const SIGN_IN_FEATURES = tag('mechanisms', { xmlns: NS.sasl }, tag('mechanism', {}, escaped(MECHANISM)));
const TLS_FEATURES = tag('starttls', { xmlns: NS.tls }, tag('required', {}));
const FEATURES = [
  tag('bind', { xmlns: NS.bind }),
  tag('session', { xmlns: NS.session }),
  tag('sm', { xmlns: NS.management }),
];

export function offerFeatures(stream: XmppStream): void {
  const offered = stream.session ? FEATURES : [stream.wire.isSecure ? SIGN_IN_FEATURES : TLS_FEATURES];
  stream.send(tag('stream:features', { 'xmlns:stream': NS.stream }, ...offered));
}

/** Before the resource is bound. */
export async function answerEarly(stream: XmppStream, element: Element): Promise<void> {
  if (stream.phase === 'bind') return bind(stream, element);
  if (element.namespace === NS.tls && element.name === 'starttls' && !stream.wire.isSecure) {
    stream.phase = 'start';
    return stream.wire.startTls?.();
  }
  if (element.namespace !== NS.sasl) return stream.fail('not-authorized');
  if (!stream.wire.isSecure) return refuse(stream, 'encryption-required');
  if (element.name === 'abort') return refuse(stream, 'aborted');
  if (element.name === 'auth' && element.attributes.mechanism !== MECHANISM) return refuse(stream, 'invalid-mechanism');
  const text = element.text.trim();
  if (element.name === 'auth' && (text === '' || text === '='))
    return void stream.send(tag('challenge', { xmlns: NS.sasl }));
  await signIn(stream, text);
}

async function signIn(stream: XmppStream, text: string): Promise<void> {
  const { network, server } = stream;
  const { services, refusedSignIns } = server;
  const credentials = readPlain(text, stream.addresses);
  const user = credentials && `user:${credentials.applicationId}:${credentials.userId}`;
  const meter = services.rateLimits?.meter(network, { kind: 'anonymous' });
  let session: ChatSession | undefined;
  try {
    const isLimited = await meter?.requireCapacity('signIn').then(
      () => false,
      () => true,
    );
    const isExhausted = isLimited || (user !== undefined && refusedSignIns.isExhausted(user));
    if (credentials && !isExhausted) session = await signInToChat(credentials, network, services);
  } catch (error) {
    stream.log.warn({ err: error }, 'a sign-in to the chat could not be checked; the client tries again');
    return refuse(stream, 'temporary-auth-failure');
  }
  if (session && (await admit(stream, session))) {
    stream.phase = 'start';
    return void stream.send(tag('success', { xmlns: NS.sasl }));
  }
  await meter?.tally('signIn');
  services.observer.chatSignInRefused();
  services.chat.refusedSignIns++;
  const isDelayed = refusedSignIns.add(`network:${network}`, ...(user ? [user] : []));
  stream.closeAfter(SIGN_IN.timeoutAfterRefusalMs);
  if (isDelayed) await pause(SIGN_IN.delayMs, undefined, { ref: false });
  refuse(stream, 'not-authorized');
}

/** @returns false if the user has too many streams, or the credentials have ended */
async function admit(stream: XmppStream, session: ChatSession): Promise<boolean> {
  const { services } = stream.server;
  const { viewer } = session;
  if (!stream.isOpen) return false;
  const leave = services.rateLimits?.connections.take(viewer, stream.network);
  if (services.rateLimits && !leave) return false;
  stream.signedIn(session);
  if (leave) stream.onClosed(leave);
  const release = await followCredentials(viewer, services, ({ isMoved }) =>
    isMoved ? void stream.drain() : stream.fail('not-authorized'),
  );
  stream.onClosed(release);
  return true;
}

/** Never closes the stream, because clients would reconnect at once, without end. */
function refuse(stream: XmppStream, condition: string): void {
  stream.send(tag('failure', { xmlns: NS.sasl }, tag(condition, {})));
}

function bind(stream: XmppStream, element: Element): void {
  const request = element.is('iq') && element.attributes.type === 'set' ? element.find('bind', NS.bind) : undefined;
  if (!request) return;
  const { id } = element.attributes;
  const asked = request.find('resource')?.text ?? '';
  stream.resource = freeResource(stream, asked);
  stream.phase = 'bound';
  const { rooms } = stream.server.services;
  const { applicationId, userId } = stream.viewer;
  stream.onClosed(rooms.connect({ applicationId, userId, resource: stream.resource }));
  const result = tag('bind', { xmlns: NS.bind }, tag('jid', {}, escaped(stream.address)));
  stream.send(tag('iq', { xmlns: NS.client, type: 'result', id: id ?? '' }, result));
  stream.log.info({ ...stream.caller, transport: stream.wire.transport }, 'chat stream opened');
}

/** A resource in use is never taken over: a replaced client would reconnect and replace the newer one, without end. */
function freeResource(stream: XmppStream, asked: string): string {
  const isUsable = asked !== '' && asked.length <= MAX_RESOURCE && asked.trim() === asked;
  if (!isUsable) return randomName();
  if (!stream.server.services.rooms.resources(stream.viewer).includes(asked)) return asked;
  return `${asked.slice(0, MAX_RESOURCE - 10)}-${randomName().slice(0, 8)}`;
}

function randomName(): string {
  return randomBytes(RANDOM_RESOURCE_BYTES).toString('base64url');
}
