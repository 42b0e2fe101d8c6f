import { z } from 'zod';
import type { FieldProblems } from '../../lib/problems.ts';
import { problem } from '../../lib/problems.ts';
import { SECOND, unixSeconds } from '../../lib/time.ts';
import { addressBelow, endpointSetting, settingText } from '../provider.ts';
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
import { decodeData, encodeData } from './stored-message.ts';

const HOST = 'https://fcm.googleapis.com';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
/** The only token URI for service accounts of tenants, because the service sends a signed assertion to it. */
const TOKEN_URI = 'https://oauth2.googleapis.com/token';

const serviceAccount = z.object({
  project_id: z.string().regex(/^[a-z0-9.:-]{1,100}$/, 'should hold a project_id'),
  client_email: settingText,
  private_key: z
    .string()
    .max(10_000)
    .regex(/^\s*-----BEGIN PRIVATE KEY-----/, 'should hold a private_key'),
  private_key_id: z.string().max(255).optional(),
  token_uri: endpointSetting,
});

const fcmSettings = z.object({
  serviceAccount,
  endpoint: endpointSetting.optional(),
});

type FcmSettings = z.infer<typeof fcmSettings>;

export const fcm: PushProvider = {
  name: 'fcm',
  description: "Google's Firebase Cloud Messaging.",
  channels: { gcm: { hasMessages: true, isDefault: true } },
  address: 'token',
  storedMessage: encodeData,
  settings: {
    input: {
      name: 'FcmSettingsInput',
      description: 'Credentials from Google: a service account of the Firebase project.',
      argument: 'Google, for the channel gcm.',
    },
    command: 'set up Firebase Cloud Messaging (HTTP v1), or replace its settings',
    fields: { serviceAccount: { description: 'Its JSON file.', flags: '--service-account <path>', file: 'json' } },
    operatorFields: { endpoint: "Google's host" },
    schema: fcmSettings,
    publicId: ({ serviceAccount }) => String(accountIn(serviceAccount).project_id),
    untrustedProblems: ({ serviceAccount }): FieldProblems =>
      accountIn(serviceAccount).token_uri === TOKEN_URI
        ? {}
        : { serviceAccount: [problem('SETTING_INVALID', { text: `should hold the token_uri ${TOKEN_URI}` })] },
    untrusted: (settings) => ({
      ...settings,
      serviceAccount: { ...accountIn(settings.serviceAccount), token_uri: TOKEN_URI },
    }),
  },
  connect: ({ name, settings, now }) => new FcmGateway(name, fcmSettings.parse(settings), now),
};

const REQUEST_TIMEOUT_MS = 15 * SECOND;
const MAX_RESPONSE_BYTES = 64 * 1024;
const ASSERTION_SECONDS = 3600;
const DEFAULT_LIFETIME_SECONDS = 600;
const CONCURRENCY = 50;

interface FcmError {
  error?: { status?: string; details?: { errorCode?: string }[] };
}

class NoAccessError extends Error {
  readonly outcome: PushOutcome;

  constructor(outcome: PushOutcome) {
    super(outcome.answer);
    this.outcome = outcome;
  }
}

class FcmGateway implements PushGateway {
  readonly traffic = 'devices';
  readonly concurrency = CONCURRENCY;
  readonly #settings: FcmSettings;
  readonly #now: () => Date;
  readonly #accessToken: SharedToken;
  readonly #circuit: Circuit;

  constructor(account: string, settings: FcmSettings, now: () => Date) {
    this.#settings = settings;
    this.#now = now;
    this.#accessToken = new SharedToken(() => this.#fetchAccessToken(), now);
    this.#circuit = { key: account, isShared: false };
  }

  circuitOf(): Circuit {
    return this.#circuit;
  }

  async send(push: Push): Promise<PushOutcome> {
    try {
      const token = await this.#accessToken.get();
      const outcome = await this.#ask(push, token);
      if (outcome.answer.startsWith('401')) this.#accessToken.invalidate(token);
      return outcome;
    } catch (error) {
      if (error instanceof NoAccessError) return error.outcome;
      return { kind: 'later', answer: failureOf(error), isUnreachable: true };
    }
  }

  close(): void {}

  async #ask(push: Push, token: string): Promise<PushOutcome> {
    const { serviceAccount, endpoint } = this.#settings;
    const url = addressBelow(endpoint ?? HOST, `/v1/projects/${serviceAccount.project_id}/messages:send`);
    const response = await post(
      url,
      { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      this.#body(push),
    );
    const { status } = response;
    const answer = await readJson<FcmError & { name?: string }>(response);
    if (status === 200) return { kind: 'delivered', answer: `200 ${answer.name ?? ''}`.trim().slice(0, 300) };
    const code = answer.error?.details?.find(({ errorCode }) => errorCode)?.errorCode ?? answer.error?.status;
    const summary = [status, typeof code === 'string' ? code.slice(0, 100) : ''].filter(Boolean).join(' ');
    if (code === 'UNREGISTERED') return { kind: 'gone', answer: summary };
    if (status === 401 || status === 429 || status >= 500) {
      return {
        kind: 'later',
        answer: summary,
        retryAfter: readRetryAfter(response.headers.get('retry-after'), this.#now()),
      };
    }
    return { kind: 'refused', answer: summary };
  }

  /** Google stores at most four collapse keys for an offline device, so pushes without a replacement get none. */
  #body({ address, content, collapseKey, isReplaced, expiresAt }: Push): string {
    const seconds = Math.max(0, unixSeconds(expiresAt) - unixSeconds(this.#now()));
    return JSON.stringify({
      message: {
        token: address,
        data: fcmData(content),
        android: { priority: 'HIGH', ttl: `${seconds}s`, collapse_key: isReplaced ? collapseKey : undefined },
      },
    });
  }

  async #fetchAccessToken(): Promise<Token> {
    const { serviceAccount: account } = this.#settings;
    const now = this.#now();
    const { importPKCS8, SignJWT } = await import('jose');
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({
        alg: 'RS256',
        typ: 'JWT',
        ...(account.private_key_id ? { kid: account.private_key_id } : {}),
      })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt(unixSeconds(now))
      .setExpirationTime(unixSeconds(now) + ASSERTION_SECONDS)
      .sign(await importPKCS8(account.private_key.trim(), 'RS256'));
    const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    const response = await post(
      new URL(account.token_uri),
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      form.toString(),
    );
    const { status } = response;
    const { access_token, expires_in } = await readJson<{ access_token?: unknown; expires_in?: unknown }>(response);
    if (status === 200 && typeof access_token === 'string' && /^[!-~]{1,8192}$/.test(access_token)) {
      const lifetime = typeof expires_in === 'number' ? expires_in : DEFAULT_LIFETIME_SECONDS;
      return { text: access_token, expiresAt: now.getTime() + lifetime * SECOND };
    }
    const answer = `${status} from the token address`;
    const mayPass = status === 429 || status >= 500 || status === 200;
    throw new NoAccessError(mayPass ? { kind: 'later', answer } : { kind: 'refused', answer });
  }
}

export function fcmData(content: PushContent): Record<string, string> {
  if ('stored' in content) return decodeData(content.stored);
  const { title, dialogName, text, badge, about } = content;
  return {
    message: text,
    title,
    ...(dialogName ? { dialog_name: dialogName } : {}),
    ...about,
    user_id: String(about.user_id),
    badge: String(badge),
  };
}

function accountIn(serviceAccount: unknown): { project_id?: unknown; token_uri?: unknown } {
  return serviceAccount ?? {};
}

function post(url: URL, headers: Record<string, string>, body: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
}

async function readJson<Shape extends object>(response: Response): Promise<Shape> {
  let text = '';
  for await (const chunk of response.body ?? []) {
    if (text.length < MAX_RESPONSE_BYTES) text += Buffer.from(chunk).toString('utf8');
  }
  try {
    const value: unknown = JSON.parse(text);
    return (typeof value === 'object' && value !== null ? value : {}) as Shape;
  } catch {
    return {} as Shape;
  }
}

function failureOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return `not reached: no response within ${REQUEST_TIMEOUT_MS / SECOND} s`;
  return `not reached: ${typeof cause?.code === 'string' ? cause.code : 'unknown'}`;
}
