import type { ActingContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { Application } from '../../generated/prisma/client.ts';
import { DisabledError, InvalidParametersError } from '../../lib/errors.ts';
import { type Problem, problem } from '../../lib/problems.ts';
import type { ChosenAssistant } from './ask.ts';
import { findAssistant } from './assistants.ts';

export type AiFeature = 'answerAssist' | 'summarize' | 'translate' | 'gateway';

const NAMES: Record<AiFeature, string> = {
  answerAssist: 'AI Answer Assistant',
  summarize: 'AI Summarize',
  translate: 'AI Translate',
  gateway: 'AI Gateway',
};

/** Checks the feature, `problems`, `check()` and the assistant, in this order. */
export async function requireAssistant(
  feature: AiFeature,
  assistantId: string | null | undefined,
  problems: Problem[],
  { viewer }: ActingContext,
  check: () => void = () => {},
): Promise<ChosenAssistant> {
  const { applicationId } = viewer;
  const application: Application = await db.application.findUniqueOrThrow({ where: { id: applicationId } });
  if (!application[feature]) throw new DisabledError(problem('FEATURE_DISABLED', { feature: NAMES[feature] }));
  if (problems.length > 0) throw new InvalidParametersError(...problems);
  check();
  return { assistant: await findAssistant(applicationId, assistantId!.trim()), quota: application.aiDailyTokens };
}
