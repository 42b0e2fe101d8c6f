import type { ActingContext } from '../../context.ts';
import type { LiveQueue } from '../../realtime/live-queue.ts';
import { ask, type ChosenAssistant, streamAnswerParts } from './ask.ts';
import { requireAssistant } from './features.ts';
import { allowedImage } from './images.ts';
import { type AnswerPart, live } from './live.ts';
import { answerPrompt, gatewayPrompt, type PromptText, translationPrompt } from './prompts.ts';
import { conversationProblems, historyProblems, readConversation, readHistory, textProblems } from './rules.ts';

interface Asked {
  assistantId?: string | null;
}

export interface AnswerRequest extends Asked {
  message?: string | null;
  /** An unvalidated list of `Turn`. */
  history?: unknown;
}

export interface TranslationRequest extends Asked {
  text?: string | null;
  toLanguage?: string | null;
}

export interface GatewayRequest extends Asked {
  /** An unvalidated list of `ConversationMessage`. */
  messages?: unknown;
}

interface Question {
  chosen: ChosenAssistant;
  prompt: PromptText;
}

export async function assistAnswer(request: AnswerRequest, context: ActingContext): Promise<string> {
  const { chosen, prompt } = await answerQuestion(request, context);
  return ask(chosen, prompt, context);
}

export async function streamAnswer(request: AnswerRequest, context: ActingContext): Promise<LiveQueue<AnswerPart>> {
  const { chosen, prompt } = await answerQuestion(request, context);
  return live((signal) => streamAnswerParts(chosen, prompt, context, signal));
}

export async function translateText(request: TranslationRequest, context: ActingContext): Promise<string> {
  const { assistantId, text, toLanguage } = request;
  const problems = [
    ...textProblems('assistantId', assistantId),
    ...textProblems('text', text),
    ...textProblems('toLanguage', toLanguage),
  ];
  const chosen = await requireAssistant('translate', assistantId, problems, context);
  return ask(chosen, translationPrompt(chosen.assistant.instructions, text!, toLanguage!), context);
}

/** @throws {UnprocessableError} a forbidden image URL; checked before the assistant */
export async function askGateway({ assistantId, messages }: GatewayRequest, context: ActingContext): Promise<string> {
  const problems = [...textProblems('assistantId', assistantId), ...conversationProblems(messages)];
  const read = () => readConversation(messages, allowedImage);
  const chosen = await requireAssistant('gateway', assistantId, problems, context, read);
  return ask(chosen, gatewayPrompt(chosen.assistant.instructions, read()), context);
}

async function answerQuestion(request: AnswerRequest, context: ActingContext): Promise<Question> {
  const { assistantId, message, history } = request;
  const problems = [
    ...textProblems('assistantId', assistantId),
    ...textProblems('message', message),
    ...historyProblems(history),
  ];
  const chosen = await requireAssistant('answerAssist', assistantId, problems, context);
  return { chosen, prompt: answerPrompt(chosen.assistant.instructions, readHistory(history), message!) };
}
