import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { SECOND } from '../lib/time.ts';
import { isOutside, lookupPublic } from './public-addresses.ts';

/** The message is for the log: it contains no prompt, response or key. */
export class ModelUnavailableError extends Error {
  readonly isPassing: boolean;

  constructor(reason: string, isPassing = false) {
    super(reason);
    this.isPassing = isPassing;
  }
}

export interface ModelRequest {
  url: URL;
  apiKey: string | undefined;
  /** The address may be in a private network. */
  isTrusted: boolean;
  body: unknown;
  signal: AbortSignal;
}

export interface TransportSettings {
  /** Milliseconds without a byte from the model. */
  silence?: number;
}

const IDLE_TIMEOUT_MS = 60 * SECOND;

/** Total per response, because slow responses would otherwise never end. */
const REQUEST_TIMEOUT_MS = 300 * SECOND;

const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

const MAX_SOCKETS = 64;

/**
 * Uses Node's HTTP client, not `fetch` (docs/decisions/0020-model-requests-on-node-http.md). Does not follow redirects.
 * Untrusted names resolve to public addresses only.
 */
export class ModelTransport {
  readonly #silence: number;
  // Separate pools, so that untrusted requests never reuse a connection into the private network.
  readonly #trusted = agents({});
  readonly #untrusted = agents({ lookup: lookupPublic });

  constructor({ silence = IDLE_TIMEOUT_MS }: TransportSettings = {}) {
    this.#silence = silence;
  }

  /** @throws {ModelUnavailableError} no response in time, or an unusable one; the stream throws it too */
  async post(request: ModelRequest): Promise<{ contentType: string; bytes: AsyncIterable<Buffer> }> {
    const { url, isTrusted } = request;
    if (!isTrusted && !isOutside(url)) throw new ModelUnavailableError('the address is in a private network');
    const timeout = new SilenceTimeout(this.#silence, request.signal);
    try {
      const response = await this.#send(request, timeout.signal);
      const { statusCode = 0, headers } = response;
      if (statusCode !== 200) {
        response.destroy();
        throw new ModelUnavailableError(`responded with ${statusCode}`, statusCode === 429 || statusCode >= 500);
      }
      return { contentType: headers['content-type'] ?? '', bytes: bounded(response, timeout) };
    } catch (error) {
      timeout.end();
      throw timeout.failure(error);
    }
  }

  stop(): void {
    for (const { http, https } of [this.#trusted, this.#untrusted]) {
      http.destroy();
      https.destroy();
    }
  }

  #send({ url, apiKey, isTrusted, body }: ModelRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const text = JSON.stringify(body);
    const isSecure = url.protocol === 'https:';
    const { http, https } = isTrusted ? this.#trusted : this.#untrusted;
    return new Promise((resolve, reject) => {
      const request = (isSecure ? requestHttps : requestHttp)(
        url,
        {
          method: 'POST',
          agent: isSecure ? https : http,
          signal,
          headers: {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(text),
            Accept: 'application/json, text/event-stream',
            'Accept-Encoding': 'identity',
            ...(apiKey && { Authorization: `Bearer ${apiKey}` }),
          },
        },
        resolve,
      );
      request.on('error', reject);
      request.end(text);
    });
  }
}

class SilenceTimeout {
  readonly #abort = new AbortController();
  readonly #silence: NodeJS.Timeout;
  readonly #limit: NodeJS.Timeout;
  readonly signal: AbortSignal;
  readonly #caller: AbortSignal;

  constructor(silence: number, caller: AbortSignal) {
    const giveUp = () => this.#abort.abort();
    this.#silence = setTimeout(giveUp, silence).unref();
    this.#limit = setTimeout(giveUp, REQUEST_TIMEOUT_MS).unref();
    this.#caller = caller;
    this.signal = AbortSignal.any([caller, this.#abort.signal]);
  }

  renew(): void {
    this.#silence.refresh();
  }

  end(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#limit);
  }

  failure(error: unknown): ModelUnavailableError {
    if (error instanceof ModelUnavailableError) return error;
    if (this.#caller.aborted) return new ModelUnavailableError('the caller cancelled the request');
    if (this.#abort.signal.aborted) return new ModelUnavailableError('no response in time');
    const { code } = error as { code?: unknown };
    return new ModelUnavailableError(
      typeof code === 'string' ? `the request failed: ${code}` : 'the request failed',
      true,
    );
  }
}

async function* bounded(response: IncomingMessage, timeout: SilenceTimeout): AsyncIterable<Buffer> {
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      timeout.renew();
      size += chunk.byteLength;
      if (size > MAX_RESPONSE_BYTES)
        throw new ModelUnavailableError(`the response exceeds ${MAX_RESPONSE_BYTES} bytes`);
      yield chunk;
    }
  } catch (error) {
    throw timeout.failure(error);
  } finally {
    timeout.end();
    response.destroy();
  }
}

function agents(settings: { lookup?: typeof lookupPublic }) {
  const options = { ...settings, keepAlive: true, maxSockets: MAX_SOCKETS };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}
