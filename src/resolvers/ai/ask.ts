import type { ActingContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { type ModelEndpoint, ModelUnavailableError } from '../../gateways/model.ts';
import type { Assistant } from '../../generated/prisma/client.ts';
import { ServiceUnavailableError } from '../../lib/errors.ts';
import { correctDailyShare, takeDailyShare } from '../users/daily-usage.ts';
import { additionalDataOfApiKey } from './assistants.ts';
import { type PromptText, promptTokens, tokensOf } from './prompts.ts';
import { countAiUsage } from './usage.ts';

export interface ChosenAssistant {
  assistant: Assistant;
  quota: number;
}

/** @throws {RateLimitedError} quota @throws {ServiceUnavailableError} model unavailable, or the caller disconnected */
export async function ask(chosen: ChosenAssistant, prompt: PromptText, context: ActingContext): Promise<string> {
  try {
    return (await askOnce(chosen, prompt, context)).text;
  } catch (error) {
    throw unavailable(error, chosen, context);
  }
}

/** @throws {RateLimitedError} quota @throws {ModelUnavailableError} with the reason */
export async function askOnce(
  chosen: ChosenAssistant,
  prompt: PromptText,
  context: ActingContext,
): Promise<{ text: string; tokens: number }> {
  const bill = await Bill.open(chosen, prompt, context);
  let tokens: number | undefined;
  try {
    const answer = await context.models.complete(endpointOf(chosen, context), prompt, context.callerLeft?.());
    tokens = answer.tokens ?? promptTokens({ ...prompt, maxTokens: tokensOf(answer.text.length) });
    return { text: answer.text, tokens };
  } finally {
    await bill.close(tokens);
  }
}

/** Throws like `ask`. Tokens of an interrupted answer count, too. */
export async function* streamAnswerParts(
  chosen: ChosenAssistant,
  prompt: PromptText,
  context: ActingContext,
  signal: AbortSignal,
): AsyncIterable<string> {
  const bill = await Bill.open(chosen, prompt, context);
  let characters = 0;
  try {
    for await (const text of context.models.stream(endpointOf(chosen, context), prompt, signal)) {
      characters += text.length;
      yield text;
    }
  } catch (error) {
    throw unavailable(error, chosen, context);
  } finally {
    const isUsed = characters > 0 || signal.aborted;
    await bill.close(isUsed ? promptTokens({ ...prompt, maxTokens: tokensOf(characters) }) : undefined);
  }
}

/** Reserves the maximum cost before the request, so that parallel requests cannot exceed the quota. */
class Bill {
  readonly #context: ActingContext;
  readonly #assistant: Assistant;
  readonly #taken: number;
  readonly #takenAt: Date;

  private constructor({ assistant }: ChosenAssistant, context: ActingContext, taken: number, takenAt: Date) {
    this.#context = context;
    this.#assistant = assistant;
    this.#taken = taken;
    this.#takenAt = takenAt;
  }

  static async open(chosen: ChosenAssistant, prompt: PromptText, context: ActingContext): Promise<Bill> {
    const { quota } = chosen;
    const takenAt = context.now();
    const { viewer, rateLimits } = context;
    const isCounted = viewer.kind === 'user' && rateLimits !== undefined;
    const amount = isCounted ? promptTokens(prompt) : 0;
    if (isCounted) await takeDailyShare(db, viewer, { kind: 'aiTokens', amount, quota }, context);
    return new Bill(chosen, context, amount, takenAt);
  }

  /** @param tokens undefined: the model did not answer */
  async close(tokens: number | undefined): Promise<void> {
    const { viewer, log } = this.#context;
    try {
      if (viewer.kind === 'user' && this.#taken > 0) {
        const share = { kind: 'aiTokens', amount: (tokens ?? 0) - this.#taken } as const;
        await correctDailyShare(viewer, share, this.#takenAt);
      }
      await countAiUsage(this.#assistant, { tokens: tokens ?? 0, isFailure: tokens === undefined }, this.#takenAt);
    } catch (error) {
      // The caller gets the answer, or the original error, even if counting fails.
      log.warn({ err: error }, 'could not count the tokens of an AI answer; the quota of the user keeps the estimate');
    }
  }
}

function endpointOf({ assistant }: ChosenAssistant, { encrypter }: ActingContext): ModelEndpoint {
  const { baseUrl, model, isTrusted, encryptedApiKey } = assistant;
  return {
    baseUrl,
    model,
    isTrusted,
    apiKey:
      encryptedApiKey === null ? undefined : encrypter.decrypt(encryptedApiKey, additionalDataOfApiKey(assistant)),
  };
}

function unavailable(error: unknown, { assistant }: ChosenAssistant, { log }: ActingContext): unknown {
  if (!(error instanceof ModelUnavailableError)) return error;
  log.warn(
    { assistant: assistant.id, reason: error.message },
    'the AI model is unavailable; check its endpoint and API key',
  );
  return new ServiceUnavailableError();
}
