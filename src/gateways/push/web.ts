import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import webPush from 'web-push';
import { z } from 'zod';
import { SECOND, unixSeconds } from '../../lib/time.ts';
import { isPublicHost, lookupPublic, NOT_PUBLIC } from '../public-addresses.ts';
import {
  type BrowserKeys,
  type Circuit,
  type Push,
  type PushContent,
  type PushGateway,
  type PushOutcome,
  readRetryAfter,
} from './gateway.ts';
import type { PushProvider } from './provider.ts';
import { decodePayload, encodePlainPayload } from './stored-message.ts';

const webPushSettings = z.object({
  /** Whom push services write to when something is wrong. */
  subject: z
    .string()
    .max(255)
    .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'should be a mailto: or https: address'),
  /** The VAPID pair, Base64url. */
  publicKey: z.string().regex(/^[\w-]{87}$/),
  privateKey: z.string().regex(/^[\w-]{43}$/),
});

type WebPushSettings = z.infer<typeof webPushSettings>;

export const web: PushProvider = {
  name: 'web',
  description: 'The push services of browsers, by the Web Push protocol.',
  channels: { web: { hasMessages: true } },
  address: 'endpoint',
  isToken: ({ endpoint, keys }, { allowsPrivate }) =>
    endpoint != null && endpointProblem(endpoint.trim(), allowsPrivate) === undefined && areKeys(keys),
  storedMessage: encodePlainPayload,
  settings: {
    input: {
      name: 'WebPushSettingsInput',
      description: 'What browsers need; the pair of keys is made by the service.',
      argument: 'Browsers, for the channel web.',
    },
    command: 'set up pushes to browsers: generates their keys the first time and prints the public one as publicId',
    fields: {
      subject: {
        description: 'Whom push services write to: `mailto:…` or `https://…`.',
        flags: '--subject <address>',
      },
    },
    operatorFields: {},
    schema: webPushSettings,
    publicId: ({ publicKey }) => String(publicKey),
    // A new pair of keys would end all subscriptions of browsers.
    complete: ({ subject }, before) => {
      const { publicKey, privateKey } = 'publicKey' in before ? before : createVapidKeys();
      return { subject, publicKey, privateKey };
    },
  },
  connect: ({ settings, allowsPrivate, now }) =>
    new WebPushGateway(webPushSettings.parse(settings), allowsPrivate, now),
};

const REQUEST_TIMEOUT_MS = 15 * SECOND;
const CONCURRENCY = 50;

/** A new VAPID pair. */
export function createVapidKeys(): Pick<WebPushSettings, 'publicKey' | 'privateKey'> {
  return webPush.generateVAPIDKeys();
}

const INSIDE = 'the endpoint is in a private network';

/** Those of push services have some hundred characters. */
const MAX_ENDPOINT = 2_000;

/**
 * Why no push may be sent to an endpoint. Asked when a browser subscribes and again at each push.
 * @param allowsPrivate the operator lets pushes go to private networks, and without encryption of the way there
 */
export function endpointProblem(address: string, allowsPrivate: boolean): string | undefined {
  const isText = address.length <= MAX_ENDPOINT && /^[!-~]+$/.test(address);
  const url = isText && URL.canParse(address) ? new URL(address) : undefined;
  const isHttps = url?.protocol === 'https:' || (allowsPrivate && url?.protocol === 'http:');
  if (!url || !isHttps || url.username || url.password) return 'the endpoint is not allowed';
  // A name is looked up on the way; an address itself is not.
  return allowsPrivate || isPublicHost(url) ? undefined : INSIDE;
}

/** What the browser has told is nothing that a push may be sent by. */
class UnsendableError extends Error {}

/**
 * Push services of browsers. The address comes from the browser, so whoever subscribes chooses where we send to: it is
 * `https`, no redirect is followed, and where its name leads is looked at before and used as it was looked at.
 */
export class WebPushGateway implements PushGateway {
  readonly traffic = 'devices';
  readonly concurrency = CONCURRENCY;
  readonly #settings: WebPushSettings;
  readonly #allowsPrivate: boolean;
  readonly #now: () => Date;

  /** @param allowsPrivate the operator lets pushes go to private networks, and without encryption of the way there */
  constructor(settings: WebPushSettings, allowsPrivate: boolean, now: () => Date) {
    this.#settings = settings;
    this.#allowsPrivate = allowsPrivate;
    this.#now = now;
  }

  async send(push: Push): Promise<PushOutcome> {
    try {
      const url = this.#checkedUrl(push.address);
      const { headers, body } = this.#details(push);
      const { status, retryAfter } = await this.#request(url, headers, body);
      const answer = String(status);
      if (status >= 200 && status < 300) return { kind: 'delivered', answer };
      if (status === 404 || status === 410) return { kind: 'gone', answer };
      if (status === 429 || status >= 500) {
        return { kind: 'later', answer, retryAfter: readRetryAfter(retryAfter, this.#now()) };
      }
      return { kind: 'refused', answer };
    } catch (error) {
      if (error instanceof UnsendableError) return { kind: 'refused', answer: error.message };
      const { code, message } = error as { code?: string; message?: string };
      if (code === NOT_PUBLIC) return { kind: 'refused', answer: INSIDE };
      const answer = `not reached: ${code ?? message ?? 'unknown'}`.slice(0, 200);
      return { kind: 'later', answer, isUnreachable: true };
    }
  }

  close(): void {}

  circuitOf({ address }: Push): Circuit {
    return { key: `web ${URL.canParse(address) ? new URL(address).host : ''}`, isShared: true };
  }

  #checkedUrl(address: string): URL {
    const problem = endpointProblem(address, this.#allowsPrivate);
    if (problem) throw new UnsendableError(problem);
    return new URL(address);
  }

  /** Encrypted for the browser, and signed with the application's key. */
  #details({ address, keys, content, collapseKey, expiresAt }: Push) {
    if (!keys) throw new UnsendableError('the browser has told no keys');
    const { subject, publicKey, privateKey } = this.#settings;
    try {
      return webPush.generateRequestDetails({ endpoint: address, keys }, webPayload(content), {
        vapidDetails: { subject, publicKey, privateKey },
        TTL: Math.max(0, unixSeconds(expiresAt) - unixSeconds(this.#now())),
        urgency: 'high',
        topic: collapseKey,
        contentEncoding: 'aes128gcm',
      });
    } catch {
      throw new UnsendableError('the keys of the browser can not be used');
    }
  }

  #request(
    url: URL,
    headers: object,
    body: Buffer | null,
  ): Promise<{ status: number; retryAfter: string | undefined }> {
    const options: RequestOptions = {
      method: 'POST',
      headers: headers as Record<string, string>,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(this.#allowsPrivate ? {} : { lookup: lookupPublic }),
    };
    return new Promise((resolve, reject) => {
      const onAnswer = (response: IncomingMessage) => {
        // Nothing of what it says is of use, however much it is.
        response.resume();
        response.on('error', () => {});
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      };
      const request =
        url.protocol === 'https:' ? https.request(url, options, onAnswer) : http.request(url, options, onAnswer);
      request.on('error', reject);
      request.end(body ?? undefined);
    });
  }
}

export function webPayload(content: PushContent): string {
  if ('stored' in content) {
    const { text, object } = decodePayload(content.stored);
    return JSON.stringify(object ?? { message: text });
  }
  const { title, dialogName, text, badge, about } = content;
  return JSON.stringify({
    message: text,
    title,
    ...(dialogName ? { dialog_name: dialogName } : {}),
    ...about,
    badge,
  });
}

/** A point of the curve P-256 and 16 bytes. */
function areKeys(keys: BrowserKeys | null | undefined): boolean {
  return byteLength(keys?.p256dh) === 65 && byteLength(keys?.auth) === 16;
}

function byteLength(base64url: string | undefined): number {
  return /^[\w-]+=*$/.test(base64url ?? '') ? Buffer.from(base64url!, 'base64url').length : 0;
}
