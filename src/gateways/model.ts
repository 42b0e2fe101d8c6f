import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.ts';
import { ModelTransport, ModelUnavailableError, type TransportSettings } from './model-transport.ts';

export { ModelUnavailableError };

export interface ModelEndpoint {
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
  isTrusted: boolean;
}

export interface PromptMessage {
  role: 'system' | 'developer' | 'user' | 'assistant';
  content: string | PromptPart[];
}

export type PromptPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

export interface Prompt {
  messages: PromptMessage[];
  maxTokens: number;
}

export interface ModelAnswer {
  text: string;
  tokens: number | undefined;
}

export interface ModelClient {
  /** Retries a transient failure once. @throws {ModelUnavailableError} */
  complete(endpoint: ModelEndpoint, prompt: Prompt, signal?: AbortSignal): Promise<ModelAnswer>;
  /** Retries a transient failure once, unless text has arrived. @throws {ModelUnavailableError} */
  stream(endpoint: ModelEndpoint, prompt: Prompt, signal: AbortSignal): AsyncIterable<string>;
  stop(): void;
}

export function createModelClient(settings: TransportSettings = {}): ModelClient {
  return new HttpModelClient(settings);
}

const RETRY_DELAY_MS = 250;

const wholeAnswer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z
    .object({ total_tokens: z.number().int().min(0).max(100_000_000) })
    .nullish()
    .catch(undefined),
});

const partOfAnswer = z.object({
  choices: z.array(
    z.object({
      delta: z.object({ content: z.string().nullish() }).nullish(),
    }),
  ),
});

class HttpModelClient implements ModelClient {
  readonly #transport: ModelTransport;
  readonly #stopped = new AbortController();

  constructor(settings: TransportSettings) {
    this.#transport = new ModelTransport(settings);
  }

  async complete(endpoint: ModelEndpoint, prompt: Prompt, asker?: AbortSignal): Promise<ModelAnswer> {
    const { signal: stopped } = this.#stopped;
    const signal = asker ? AbortSignal.any([asker, stopped]) : stopped;
    try {
      return await this.#completeOnce(endpoint, prompt, signal);
    } catch (error) {
      await beforeRetry(error, signal);
      return this.#completeOnce(endpoint, prompt, signal);
    }
  }

  async *stream(endpoint: ModelEndpoint, prompt: Prompt, asker: AbortSignal): AsyncIterable<string> {
    const signal = AbortSignal.any([asker, this.#stopped.signal]);
    let hasBegun = false;
    try {
      for await (const text of this.#streamOnce(endpoint, prompt, signal)) {
        hasBegun = true;
        yield text;
      }
    } catch (error) {
      if (hasBegun) throw error;
      await beforeRetry(error, signal);
      yield* this.#streamOnce(endpoint, prompt, signal);
    }
  }

  stop(): void {
    this.#stopped.abort();
    this.#transport.stop();
  }

  async #completeOnce(endpoint: ModelEndpoint, prompt: Prompt, signal: AbortSignal): Promise<ModelAnswer> {
    const { bytes } = await this.#ask(endpoint, prompt, { stream: false }, signal);
    return readWhole(bytes);
  }

  async *#streamOnce(endpoint: ModelEndpoint, prompt: Prompt, signal: AbortSignal): AsyncIterable<string> {
    const { contentType, bytes } = await this.#ask(endpoint, prompt, { stream: true }, signal);
    if (!contentType.startsWith('text/event-stream')) {
      // The model does not support streaming, or the response is not a completion.
      yield (await readWhole(bytes)).text;
      return;
    }
    let isDone = false;
    for await (const lines of linesOf(bytes)) {
      let text = '';
      for (const data of lines.flatMap(dataOf)) {
        if (data === '[DONE]') isDone = true;
        if (isDone) break;
        text += readPart(data);
      }
      if (text !== '') yield text;
      if (isDone) return;
    }
    throw new ModelUnavailableError('the response ended early', true);
  }

  #ask(
    { baseUrl, model, apiKey, isTrusted }: ModelEndpoint,
    { messages, maxTokens }: Prompt,
    more: { stream: boolean },
    signal: AbortSignal,
  ) {
    const url = new URL(baseUrl);
    url.pathname = `${withoutTrailingSlashes(url.pathname)}/chat/completions`;
    const body = { model, messages, max_tokens: maxTokens, ...more };
    return this.#transport.post({ url, apiKey, isTrusted, body, signal });
  }
}

async function beforeRetry(error: unknown, signal: AbortSignal): Promise<void> {
  if (!(error instanceof ModelUnavailableError) || !error.isPassing) throw error;
  await delay(RETRY_DELAY_MS, undefined, { signal }).catch(() => {
    throw error;
  });
}

async function readWhole(bytes: AsyncIterable<Buffer>): Promise<ModelAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const { choices, usage } = read(wholeAnswer, Buffer.concat(chunks).toString('utf8'));
  return { text: choices[0]!.message.content.toWellFormed(), tokens: usage?.total_tokens };
}

function readPart(data: string): string {
  const { choices } = read(partOfAnswer, data);
  return choices[0]?.delta?.content?.toWellFormed() ?? '';
}

function read<Shape>(schema: z.ZodType<Shape>, text: string): Shape {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ModelUnavailableError('the response is not JSON', true);
  }
  const result = schema.safeParse(value);
  if (!result.success) throw new ModelUnavailableError('the response is not a chat completion', true);
  return result.data;
}

async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncIterable<string[]> {
  const decoder = new TextDecoder();
  // Parts of the unfinished line: searching all of it again for its end would take quadratic time.
  let begun: string[] = [];
  for await (const chunk of bytes) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    const rest = lines.pop()!;
    if (lines.length > 0) {
      lines[0] = [...begun, lines[0]].join('');
      begun = [];
      yield lines;
    }
    if (rest !== '') begun.push(rest);
  }
  if (begun.length > 0) yield [begun.join('')];
}

function dataOf(line: string): string[] {
  return line.startsWith('data:') ? [line.slice(5).trim()] : [];
}
