import type { ActingContext } from '../../context.ts';
import type { LiveQueue } from '../../realtime/live-queue.ts';
import { type AskedAssistant, ask, streamAnswerParts } from './ask.ts';
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
  /** What was said before: a list of `Turn`, of which nothing is checked yet. */
  history?: unknown;
}

export interface TranslationRequest extends Asked {
  text?: string | null;
  /** A code or a name. */
  toLanguage?: string | null;
}

export interface GatewayRequest extends Asked {
  /** A list of `ConversationMessage`, of which nothing is checked yet. */
  messages?: unknown;
}

interface Question {
  asked: AskedAssistant;
  prompt: PromptText;
}

// All of them throw, in this order (gaps §15): {DisabledError} {InvalidParametersError} {NotFoundError} unknown
// assistant, {RateLimitedError} the user's quota, {ServiceUnavailableError} the model is away.

/** Proposes an answer to a message. */
export async function assistAnswer(request: AnswerRequest, context: ActingContext): Promise<string> {
  const { asked, prompt } = await answerQuestion(request, context);
  return ask(asked, prompt, context);
}

/** The same bit by bit; what is wrong with the request is told at once. */
export async function streamAnswer(request: AnswerRequest, context: ActingContext): Promise<LiveQueue<AnswerPart>> {
  const { asked, prompt } = await answerQuestion(request, context);
  return live((signal) => streamAnswerParts(asked, prompt, context, signal));
}

export async function translateText(request: TranslationRequest, context: ActingContext): Promise<string> {
  const { assistantId, text, toLanguage } = request;
  const problems = [
    ...textProblems('smart_chat_assistant_id', assistantId),
    ...textProblems('text', text),
    ...textProblems('to_language', toLanguage),
  ];
  const asked = await requireAssistant('translate', assistantId, problems, context);
  return ask(asked, translationPrompt(asked.assistant.instructions, text!, toLanguage!), context);
}

/**
 * Takes a conversation to the model as it is.
 * @throws {UnprocessableError} the address of an image, before an unknown assistant
 */
export async function askGateway({ assistantId, messages }: GatewayRequest, context: ActingContext): Promise<string> {
  const problems = [...textProblems('smart_chat_assistant_id', assistantId), ...conversationProblems(messages)];
  const read = () => readConversation(messages, allowedImage);
  const asked = await requireAssistant('gateway', assistantId, problems, context, read);
  return ask(asked, gatewayPrompt(asked.assistant.instructions, read()), context);
}

async function answerQuestion(request: AnswerRequest, context: ActingContext): Promise<Question> {
  const { assistantId, message, history } = request;
  const problems = [
    ...textProblems('smart_chat_assistant_id', assistantId),
    ...textProblems('message', message),
    ...historyProblems(history),
  ];
  const asked = await requireAssistant('answerAssist', assistantId, problems, context);
  return { asked, prompt: answerPrompt(asked.assistant.instructions, readHistory(history), message!) };
}
