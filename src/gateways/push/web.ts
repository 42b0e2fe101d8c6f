import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { z } from 'zod';
import { onFirstUse } from '../../lib/on-first-use.ts';
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
  subject: z
    .string()
    .max(255)
    .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'should be a mailto: or https: address'),
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
      description: 'Settings for Web Push; the service generates the key pair.',
      argument: 'Browsers, for the channel web.',
    },
    command: 'set up pushes to browsers: generates their keys the first time and prints the public one as publicId',
    fields: {
      subject: {
        description: 'Contact for operators of push services: `mailto:…` or `https://…`.',
        flags: '--subject <address>',
      },
    },
    operatorFields: {},
    schema: webPushSettings,
    publicId: ({ publicKey }) => String(publicKey),
    // New keys would invalidate all browser subscriptions.
    complete: async ({ subject }, before) => {
      const { publicKey, privateKey } = 'publicKey' in before ? before : await createVapidKeys();
      return { subject, publicKey, privateKey };
    },
  },
  connect: ({ settings, allowsPrivate, now }) =>
    new WebPushGateway(webPushSettings.parse(settings), allowsPrivate, now),
};

const REQUEST_TIMEOUT_MS = 15 * SECOND;
const CONCURRENCY = 50;

const loadWebPush = onFirstUse(() => import('web-push'));

export async function createVapidKeys(): Promise<Pick<WebPushSettings, 'publicKey' | 'privateKey'>> {
  const { default: webPush } = await loadWebPush();
  return webPush.generateVAPIDKeys();
}

const INSIDE = 'the endpoint is in a private network';

const MAX_ENDPOINT = 2_000;

/** Checked when a browser subscribes and on each push. */
export function endpointProblem(address: string, allowsPrivate: boolean): string | undefined {
  const isText = address.length <= MAX_ENDPOINT && /^[!-~]+$/.test(address);
  const url = isText && URL.canParse(address) ? new URL(address) : undefined;
  const isHttps = url?.protocol === 'https:' || (allowsPrivate && url?.protocol === 'http:');
  if (!url || !isHttps || url.username || url.password) return 'the endpoint is not allowed';
  return allowsPrivate || isPublicHost(url) ? undefined : INSIDE;
}

class UnsendableError extends Error {}

/** Subscribers choose the address, so the gateway follows no redirects and connects only to the address it checked. */
export class WebPushGateway implements PushGateway {
  readonly traffic = 'devices';
  readonly concurrency = CONCURRENCY;
  readonly #settings: WebPushSettings;
  readonly #allowsPrivate: boolean;
  readonly #now: () => Date;

  constructor(settings: WebPushSettings, allowsPrivate: boolean, now: () => Date) {
    this.#settings = settings;
    this.#allowsPrivate = allowsPrivate;
    this.#now = now;
  }

  async send(push: Push): Promise<PushOutcome> {
    try {
      const url = this.#checkedUrl(push.address);
      const { headers, body } = await this.#details(push);
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

  async #details({ address, keys, content, collapseKey, expiresAt }: Push) {
    if (!keys) throw new UnsendableError('the browser sent no keys');
    const { subject, publicKey, privateKey } = this.#settings;
    const { default: webPush } = await loadWebPush();
    try {
      return webPush.generateRequestDetails({ endpoint: address, keys }, webPayload(content), {
        vapidDetails: { subject, publicKey, privateKey },
        TTL: Math.max(0, unixSeconds(expiresAt) - unixSeconds(this.#now())),
        urgency: 'high',
        topic: collapseKey,
        contentEncoding: 'aes128gcm',
      });
    } catch {
      throw new UnsendableError('the keys of the browser are unusable');
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

function areKeys(keys: BrowserKeys | null | undefined): boolean {
  return byteLength(keys?.p256dh) === 65 && byteLength(keys?.auth) === 16;
}

function byteLength(base64url: string | undefined): number {
  return /^[\w-]+=*$/.test(base64url ?? '') ? Buffer.from(base64url!, 'base64url').length : 0;
}
