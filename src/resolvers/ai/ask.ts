import type { ActingContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { type ModelEndpoint, ModelUnavailableError } from '../../gateways/model.ts';
import type { Assistant } from '../../generated/prisma/client.ts';
import { ServiceUnavailableError } from '../../lib/errors.ts';
import { correctDailyShare, takeDailyShare } from '../users/daily-usage.ts';
import { additionalDataOfApiKey } from './assistants.ts';
import { type PromptText, promptTokens, tokensOf } from './prompts.ts';

/** An assistant, and what its application lets each user use up. */
export interface ChosenAssistant {
  assistant: Assistant;
  /** Tokens of a user in a day. */
  quota: number;
}

/**
 * The model's answer.
 * @throws {RateLimitedError} more than what is left of the user's day
 * @throws {ServiceUnavailableError} the model is away, or the caller has left, which ends its request
 */
export async function ask(chosen: ChosenAssistant, prompt: PromptText, context: ActingContext): Promise<string> {
  const bill = await Bill.open(chosen, prompt, context);
  let tokens = 0;
  try {
    const answer = await context.models.complete(endpointOf(chosen, context), prompt, context.callerLeft?.());
    tokens = answer.tokens ?? promptTokens({ ...prompt, maxTokens: tokensOf(answer.text.length) });
    return answer.text;
  } catch (error) {
    throw unavailable(error, chosen, context);
  } finally {
    await bill.close(tokens);
  }
}

/**
 * The model's answer bit by bit.
 * @throws as `ask`; what is used up counts, also of an answer that broke off
 */
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
    await bill.close(isUsed ? promptTokens({ ...prompt, maxTokens: tokensOf(characters) }) : 0);
  }
}

/** What a question may cost is taken before it is asked, so that many at once never use up more than there is. */
class Bill {
  readonly #context: ActingContext;
  readonly #taken: number;
  readonly #takenAt: Date;

  private constructor(context: ActingContext, taken: number, takenAt: Date) {
    this.#context = context;
    this.#taken = taken;
    this.#takenAt = takenAt;
  }

  static async open({ quota }: ChosenAssistant, prompt: PromptText, context: ActingContext): Promise<Bill> {
    const takenAt = context.now();
    const { viewer, rateLimits } = context;
    const isCounted = viewer.kind === 'user' && rateLimits !== undefined;
    const amount = isCounted ? promptTokens(prompt) : 0;
    if (isCounted) await takeDailyShare(db, viewer, { kind: 'aiTokens', amount, quota }, context);
    return new Bill(context, amount, takenAt);
  }

  /** Gives back what was not used up, or takes what was used up beyond it. */
  async close(tokens: number): Promise<void> {
    const { viewer, log } = this.#context;
    if (viewer.kind !== 'user' || this.#taken === 0) return;
    const share = { kind: 'aiTokens', amount: tokens - this.#taken } as const;
    try {
      await correctDailyShare(viewer, share, this.#takenAt);
    } catch (error) {
      // The answer is there, or the failure that matters is.
      log.warn({ err: error }, 'the tokens of a model could not be counted');
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
  log.warn({ assistant: assistant.id, reason: error.message }, 'a model is away');
  return new ServiceUnavailableError();
}
