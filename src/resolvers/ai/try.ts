import type { ActingContext } from '../../context.ts';
import { ModelUnavailableError } from '../../gateways/model.ts';
import { InvalidParametersError } from '../../lib/errors.ts';
import { askOnce } from './ask.ts';
import { findAssistant } from './assistants.ts';
import { answerPrompt } from './prompts.ts';
import { textProblems } from './rules.ts';

export interface AssistantTrial {
  /** Null if the model did not answer. */
  answer: string | null;
  /** Why the model did not answer. */
  problem: string | null;
  tokens: number;
  milliseconds: number;
}

/** Works regardless of the features that the application has turned on. @throws {InvalidParametersError} {NotFoundError} */
export async function tryAssistant(
  { assistantId, message }: { assistantId: string; message: string },
  context: ActingContext,
): Promise<AssistantTrial> {
  const problems = textProblems('message', message);
  if (problems.length > 0) throw new InvalidParametersError(...problems);
  const assistant = await findAssistant(context.viewer.applicationId, assistantId.trim());
  const startedAt = performance.now();
  const milliseconds = () => Math.round(performance.now() - startedAt);
  try {
    const prompt = answerPrompt(assistant.instructions, [], message);
    const { text, tokens } = await askOnce({ assistant, quota: 0 }, prompt, context);
    return { answer: text, problem: null, tokens, milliseconds: milliseconds() };
  } catch (error) {
    if (!(error instanceof ModelUnavailableError)) throw error;
    return { answer: null, problem: error.message, tokens: 0, milliseconds: milliseconds() };
  }
}
