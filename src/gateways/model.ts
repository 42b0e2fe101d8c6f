import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.ts';
import { ModelTransport, ModelUnavailableError, type TransportSettings } from './model-transport.ts';

export { ModelUnavailableError };

/** A model behind `<baseUrl>/chat/completions`. */
export interface ModelEndpoint {
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
  /** The operator has set the address, which may lie inside our own network. */
  isTrusted: boolean;
}

export interface PromptMessage {
  role: 'system' | 'developer' | 'user' | 'assistant';
  content: string | PromptPart[];
}

export type PromptPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

export interface Prompt {
  messages: PromptMessage[];
  /** Of the answer. */
  maxTokens: number;
}

export interface ModelAnswer {
  text: string;
  /** Of question and answer together, if the model says. */
  tokens: number | undefined;
}

/** Asks models that speak as OpenAI's do. */
export interface ModelClient {
  /**
   * The whole answer. What may pass is tried once more.
   * @param signal aborts when nobody waits for the answer
   * @throws {ModelUnavailableError}
   */
  complete(endpoint: ModelEndpoint, prompt: Prompt, signal?: AbortSignal): Promise<ModelAnswer>;
  /**
   * The answer bit by bit. What may pass is tried once more, as long as nothing has come.
   * @throws {ModelUnavailableError}
   */
  stream(endpoint: ModelEndpoint, prompt: Prompt, signal: AbortSignal): AsyncIterable<string>;
  /** Ends what is under way. */
  stop(): void;
}

export function createModelClient(settings: TransportSettings = {}): ModelClient {
  return new HttpModelClient(settings);
}

const AGAIN_AFTER = 250;

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
      await beforeAgain(error, signal);
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
      await beforeAgain(error, signal);
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
      // It does not stream, or speaks of something else.
      yield (await readWhole(bytes)).text;
      return;
    }
    let isOver = false;
    for await (const lines of linesOf(bytes)) {
      // What came together goes out together.
      let text = '';
      for (const data of lines.flatMap(dataOf)) {
        if (data === '[DONE]') isOver = true;
        if (isOver) break;
        text += readPart(data);
      }
      if (text !== '') yield text;
      if (isOver) return;
    }
    throw new ModelUnavailableError('its answer broke off', true);
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

/** Waits a moment; throws the error if asking again is no use. */
async function beforeAgain(error: unknown, signal: AbortSignal): Promise<void> {
  if (!(error instanceof ModelUnavailableError) || !error.isPassing) throw error;
  await delay(AGAIN_AFTER, undefined, { signal }).catch(() => {
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
    throw new ModelUnavailableError('it answered no JSON', true);
  }
  const result = schema.safeParse(value);
  if (!result.success) throw new ModelUnavailableError('it answered something else than an answer', true);
  return result.data;
}

/** The whole lines that came with each chunk. */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncIterable<string[]> {
  const decoder = new TextDecoder();
  // Pieces of the line that has not ended: looking for its end in all of it again would take quadratic time.
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
