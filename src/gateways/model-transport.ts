import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { SECOND } from '../lib/time.ts';
import { isOutside, lookupPublic } from './public-addresses.ts';

/**
 * The model could not be asked, or gave no sensible answer. The message is for the log: it holds neither what was asked
 * nor what was answered nor a key.
 */
export class ModelUnavailableError extends Error {
  /** Asking once more could help. */
  readonly isPassing: boolean;

  constructor(reason: string, isPassing = false) {
    super(reason);
    this.isPassing = isPassing;
  }
}

export interface ModelRequest {
  url: URL;
  apiKey: string | undefined;
  /** The address may lie inside our own network. */
  isTrusted: boolean;
  body: unknown;
  signal: AbortSignal;
}

export interface TransportSettings {
  /** How long a model may be silent, before its first byte and between two. */
  silence?: number;
}

const IDLE_TIMEOUT_MS = 60 * SECOND;

/** No answer takes longer, however it trickles in. */
const REQUEST_TIMEOUT_MS = 300 * SECOND;

/** The longest answer that is read. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const MAX_SOCKETS = 64;

/**
 * Posts JSON to models by Node's own client (docs/decisions.md). Redirects are not followed, and untrusted names lead
 * to public addresses only.
 */
export class ModelTransport {
  readonly #silence: number;
  // Connections are kept apart: one that was let inside must not be there for others.
  readonly #trusted = agents({});
  readonly #untrusted = agents({ lookup: lookupPublic });

  constructor({ silence = IDLE_TIMEOUT_MS }: TransportSettings = {}) {
    this.#silence = silence;
  }

  /**
   * The bytes of a successful answer as they come, and its content type.
   * @throws {ModelUnavailableError} no answer in time, or one that is none; then the bytes end with it, too
   */
  async post(request: ModelRequest): Promise<{ contentType: string; bytes: AsyncIterable<Buffer> }> {
    const { url, isTrusted } = request;
    if (!isTrusted && !isOutside(url)) throw new ModelUnavailableError('its address is inside the network');
    const timeout = new SilenceTimeout(this.#silence, request.signal);
    try {
      const response = await this.#send(request, timeout.signal);
      const { statusCode = 0, headers } = response;
      if (statusCode !== 200) {
        response.destroy();
        throw new ModelUnavailableError(`it answered ${statusCode}`, statusCode === 429 || statusCode >= 500);
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

/** The time that a model has for an answer. */
class SilenceTimeout {
  readonly #abort = new AbortController();
  readonly #silence: NodeJS.Timeout;
  readonly #limit: NodeJS.Timeout;
  readonly signal: AbortSignal;
  readonly #asker: AbortSignal;

  constructor(silence: number, asker: AbortSignal) {
    const giveUp = () => this.#abort.abort();
    this.#silence = setTimeout(giveUp, silence).unref();
    this.#limit = setTimeout(giveUp, REQUEST_TIMEOUT_MS).unref();
    this.#asker = asker;
    this.signal = AbortSignal.any([asker, this.#abort.signal]);
  }

  /** It has said something. */
  renew(): void {
    this.#silence.refresh();
  }

  end(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#limit);
  }

  /** Why a request failed, in words that can be logged. */
  failure(error: unknown): ModelUnavailableError {
    if (error instanceof ModelUnavailableError) return error;
    if (this.#asker.aborted) return new ModelUnavailableError('nobody waits for its answer any more');
    if (this.#abort.signal.aborted) return new ModelUnavailableError('it did not answer in time');
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
      if (size > MAX_ANSWER_BYTES) throw new ModelUnavailableError(`it answered more than ${MAX_ANSWER_BYTES} bytes`);
      yield chunk;
    }
  } catch (error) {
    throw timeout.failure(error);
  } finally {
    timeout.end();
    // Whoever stops reading wants no more of it.
    response.destroy();
  }
}

function agents(settings: { lookup?: typeof lookupPublic }) {
  const options = { ...settings, keepAlive: true, maxSockets: MAX_SOCKETS };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}
