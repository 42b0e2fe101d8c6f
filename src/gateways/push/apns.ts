import http2 from 'node:http2';
import { z } from 'zod';
import { MINUTE, SECOND, unixSeconds } from '../../lib/time.ts';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.ts';
import { endpointSetting } from '../provider.ts';
import {
  type Circuit,
  type Push,
  type PushContent,
  type PushGateway,
  type PushOutcome,
  readRetryAfter,
} from './gateway.ts';
import type { PushProvider } from './provider.ts';
import { SharedToken, type Token } from './shared-token.ts';
import { decodePayload, encodePayload, isPlainObject, type Json } from './stored-message.ts';

const HOSTS = {
  production: 'https://api.push.apple.com',
  development: 'https://api.sandbox.push.apple.com',
};

const apnsSettings = z.object({
  topic: z.string().regex(/^[A-Za-z0-9.-]{1,155}$/, 'should be a bundle id'),
  teamId: z.string().regex(/^[A-Za-z0-9]{1,20}$/, 'should be an id of letters and digits'),
  keyId: z.string().regex(/^[A-Za-z0-9]{1,20}$/, 'should be an id of letters and digits'),
  key: z
    .string()
    .max(10_000)
    .regex(/^\s*-----BEGIN PRIVATE KEY-----[\s\S]+-----END PRIVATE KEY-----\s*$/, 'should be the .p8 file'),
  endpoint: endpointSetting.optional(),
  /** PEM; replaces the system's certificates. */
  ca: z.string().max(100_000).optional(),
});

export type ApnsSettings = z.infer<typeof apnsSettings>;

export const apns: PushProvider = {
  name: 'apns',
  description: "Apple's push service.",
  channels: { apns: { hasMessages: true, isDefault: true }, apns_voip: {} },
  address: 'token',
  storedMessage: ({ text, object }) => encodePayload(object ? withAps(object) : { aps: { alert: text } }),
  settings: {
    input: {
      name: 'ApnsSettingsInput',
      description: 'Credentials from Apple: a signing key and its owner.',
      argument: 'Apple, for the channels apns and apns_voip.',
    },
    command: "set up Apple's push service, or replace its settings",
    fields: {
      topic: { description: 'Bundle id of the app.', flags: '--topic <topic>' },
      teamId: {
        description: 'Ten characters, under Membership of the developer account.',
        flags: '--team-id <id>',
      },
      keyId: { description: 'Ten characters, shown next to the key in the developer account.', flags: '--key-id <id>' },
      key: { description: 'The `.p8` file.', flags: '--key-file <path>', file: 'text' },
    },
    operatorFields: { endpoint: "Apple's host", ca: "the system's certificates" },
    schema: apnsSettings,
    publicId: ({ topic }) => String(topic),
  },
  connect: ({ name, settings, environment, now }) =>
    new ApnsGateway(name, apnsSettings.parse(settings), environment, now),
};

/** Apple accepts a token for an hour, and a new one at most every 20 minutes. */
const TOKEN_LIFETIME_MS = 50 * MINUTE;

const REQUEST_TIMEOUT_MS = 15 * SECOND;

/** Until the server sends its settings. */
const FIRST_STREAMS = 64;
const MAX_STREAMS = 64;

const MAX_RESPONSE_CHARACTERS = 4_096;

interface ApnsResponse {
  status: number;
  reason: string;
  retryAfter: string | undefined;
  /** Unix milliseconds. */
  timestamp: number | undefined;
}

class ApnsGateway implements PushGateway {
  readonly traffic = 'devices';
  readonly #settings: ApnsSettings;
  readonly #host: string;
  readonly #now: () => Date;
  readonly #token: SharedToken;
  readonly #circuit: Circuit;
  #session: http2.ClientHttp2Session | undefined;

  constructor(account: string, settings: ApnsSettings, environment: keyof typeof HOSTS, now: () => Date) {
    this.#settings = settings;
    this.#host = withoutTrailingSlashes(settings.endpoint ?? HOSTS[environment]);
    this.#now = now;
    this.#token = new SharedToken(() => this.#sign(), now);
    this.#circuit = { key: account, isShared: false };
  }

  circuitOf(): Circuit {
    return this.#circuit;
  }

  get concurrency(): number {
    const streams = this.#session?.remoteSettings?.maxConcurrentStreams ?? FIRST_STREAMS;
    return Math.max(1, Math.min(streams, MAX_STREAMS));
  }

  async send(push: Push): Promise<PushOutcome> {
    // Other characters would change the path.
    if (!/^[0-9a-fA-F]{8,400}$/.test(push.address)) return { kind: 'refused', answer: '400 BadDeviceToken (not sent)' };
    try {
      const token = await this.#token.get();
      const answer = await this.#request(push, token);
      if (answer.status !== 403 || answer.reason !== 'ExpiredProviderToken') return this.#outcome(answer);
      // Apple's clock is ahead, or the local one was changed.
      this.#token.invalidate(token);
      return this.#outcome(await this.#request(push, await this.#token.get()));
    } catch (error) {
      return { kind: 'later', answer: failureOf(error), isUnreachable: true };
    }
  }

  close(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  #outcome({ status, reason, retryAfter, timestamp }: ApnsResponse): PushOutcome {
    const answer = [status, reason].filter(Boolean).join(' ');
    if (status === 200) return { kind: 'delivered', answer };
    if (status === 410)
      return { kind: 'gone', answer, since: timestamp === undefined ? undefined : new Date(timestamp) };
    if (status === 429 || status >= 500) {
      return { kind: 'later', answer, retryAfter: readRetryAfter(retryAfter, this.#now()) };
    }
    return { kind: 'refused', answer };
  }

  async #sign(): Promise<Token> {
    const { key, keyId, teamId } = this.#settings;
    const now = this.#now();
    const { importPKCS8, SignJWT } = await import('jose');
    const text = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(unixSeconds(now))
      .sign(await importPKCS8(key.trim(), 'ES256'));
    return { text, expiresAt: now.getTime() + TOKEN_LIFETIME_MS };
  }

  #request(push: Push, token: string): Promise<ApnsResponse> {
    const { content, channel, address } = push;
    const payload = apnsPayload(content);
    const isVoip = channel === 'apns_voip';
    const isBackground = !isVoip && isSilent(payload);
    const headers = {
      ':method': 'POST',
      ':path': `/3/device/${address}`,
      authorization: `bearer ${token}`,
      'apns-id': push.id,
      'apns-topic': topicOf(push, this.#settings.topic),
      'apns-push-type': isVoip ? 'voip' : isBackground ? 'background' : 'alert',
      'apns-priority': isBackground ? '5' : '10',
      'apns-expiration': String(unixSeconds(push.expiresAt)),
      'apns-collapse-id': push.collapseKey,
      'content-type': 'application/json',
    };
    return new Promise((resolve, reject) => {
      const session = this.#connection();
      const stream = session.request(headers);
      const answer: ApnsResponse = { status: 0, reason: '', retryAfter: undefined, timestamp: undefined };
      let text = '';
      // Covers the complete response, because a server that sends single bytes would hold a stream forever.
      const deadline = setTimeout(() => {
        stream.close(http2.constants.NGHTTP2_CANCEL);
        this.#retire(session);
        reject(new Error(`no response within ${REQUEST_TIMEOUT_MS / SECOND} s`));
      }, REQUEST_TIMEOUT_MS).unref();
      stream.setEncoding('utf8');
      stream.on('response', (received) => {
        answer.status = Number(received[':status']);
        answer.retryAfter = received['retry-after'] as string | undefined;
      });
      stream.on('data', (chunk: string) => {
        if (text.length < MAX_RESPONSE_CHARACTERS) text += chunk;
      });
      stream.on('error', reject);
      stream.on('close', () => {
        clearTimeout(deadline);
        if (answer.status === 0) reject(new Error('the connection was closed'));
        else resolve({ ...answer, ...bodyOf(text) });
      });
      stream.end(JSON.stringify(payload));
    });
  }

  #retire(session: http2.ClientHttp2Session): void {
    if (this.#session === session) this.#session = undefined;
    if (session.closed || session.destroyed) return;
    session.close();
    setTimeout(() => session.destroy(), REQUEST_TIMEOUT_MS).unref();
  }

  #connection(): http2.ClientHttp2Session {
    const known = this.#session;
    if (known && !known.closed && !known.destroyed) return known;
    const session = http2.connect(this.#host, { ca: this.#settings.ca });
    this.#session = session;
    const forget = () => {
      if (this.#session === session) this.#session = undefined;
    };
    session.on('error', forget);
    session.on('goaway', forget);
    session.on('close', forget);
    // So that an idle connection does not keep the process alive.
    session.unref();
    return session;
  }
}

const APS_KEYS: Record<string, string> = {
  message: 'alert',
  ios_badge: 'badge',
  ios_sound: 'sound',
  ios_content_available: 'content-available',
  ios_mutable_content: 'mutable-content',
  ios_category: 'category',
};

function withAps(object: Json): Json {
  const aps: Json = isPlainObject(object.aps) ? { ...object.aps } : {};
  const others: Json = {};
  for (const [key, value] of Object.entries(object)) {
    if (Object.hasOwn(APS_KEYS, key)) aps[APS_KEYS[key]!] = value;
    else if (key !== 'aps' && !key.startsWith('ios_')) others[key] = value;
  }
  return { aps, ...others };
}

export function apnsPayload(content: PushContent): Json {
  if ('stored' in content) {
    const { text, object } = decodePayload(content.stored);
    return object ?? { aps: { alert: text } };
  }
  const { title, dialogName, text, badge, about } = content;
  const alert = { title, ...(dialogName ? { subtitle: dialogName } : {}), body: text };
  return { aps: { alert, badge, sound: 'default', 'thread-id': about.dialog_id }, ...about };
}

/** Apple requires the push type `background` for a payload that neither shows nor plays anything, and delays it. */
export function isSilent({ aps }: Json): boolean {
  if (!isPlainObject(aps)) return true;
  const isSeen = ['alert', 'badge', 'sound'].some((key) => aps[key] !== undefined);
  return !isSeen && aps['content-available'] !== undefined;
}

/** A device may belong to another app of the same team; VoIP pushes use a separate topic. */
function topicOf({ bundleIdentifier, channel }: Push, topic: string): string {
  const own = bundleIdentifier && /^[A-Za-z0-9.-]{1,155}$/.test(bundleIdentifier) ? bundleIdentifier : topic;
  return channel === 'apns_voip' && !own.endsWith('.voip') ? `${own}.voip` : own;
}

function bodyOf(text: string): Pick<ApnsResponse, 'reason' | 'timestamp'> {
  if (text === '') return { reason: '', timestamp: undefined };
  try {
    const { reason, timestamp } = JSON.parse(text) as Record<string, unknown>;
    return {
      reason: typeof reason === 'string' ? reason.slice(0, 100) : '',
      timestamp: typeof timestamp === 'number' ? timestamp : undefined,
    };
  } catch {
    return { reason: '', timestamp: undefined };
  }
}

function failureOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return `not reached: ${code ?? message ?? 'unknown'}`.slice(0, 200);
}
