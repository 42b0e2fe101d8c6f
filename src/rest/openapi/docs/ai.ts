import {
  DisabledError,
  ForbiddenError,
  InvalidParametersError,
  NotFoundError,
  UnprocessableError,
} from '../../../lib/errors.ts';
import {
  conversationProblems,
  historyProblems,
  MAX_LANGUAGE,
  MAX_MESSAGE,
  MAX_TEXT,
  textProblems,
} from '../../../resolvers/ai/rules.ts';
import { inputOf } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { closed, listOf, oneOfTexts, requestObject, text } from './schemas.ts';

const ASSISTANT = 'smart_chat_assistant_id';
const missing = [new NotFoundError(), new ForbiddenError()];
const noAssistant = textProblems('assistantId', undefined);
const answer = closed({ answer: text });

const part = requestObject(
  { type: oneOfTexts(['text', 'image_url']), text, image_url: requestObject({ url: text }, ['url']) },
  ['type'],
);

export const aiDocs = {
  assistAnswer: {
    tag: 'AI',
    summary: 'Propose an answer',
    body: inputOf(
      'AnswerInput',
      {
        [ASSISTANT]: 'assistantId',
        message: ['message', { ...text, maxLength: MAX_MESSAGE }],
        history: [
          'history',
          listOf(requestObject({ role: oneOfTexts(['user', 'assistant']), message: text }, ['role', 'message'])),
        ],
      },
      [ASSISTANT, 'message'],
    ),
    answer,
    errors: [
      new DisabledError('AI Answer Assistant is disabled'),
      new InvalidParametersError(...noAssistant, ...textProblems('message', ''), ...historyProblems('hi')),
      ...missing,
    ],
    examples: [
      {
        body: {
          [ASSISTANT]: SAMPLES.assistant,
          message: 'Shall we meet?',
          history: [{ role: 'user', message: 'Hello' }],
        },
      },
    ],
  },
  summarizeDialog: {
    tag: 'AI',
    summary: 'Summarize a dialog',
    body: inputOf('SummaryInput', { [ASSISTANT]: 'assistantId', dialog_id: 'dialogId' }, [ASSISTANT, 'dialog_id']),
    answer: closed({ summary: text }),
    errors: [
      new DisabledError('AI Summarize is disabled'),
      new InvalidParametersError(...noAssistant, ...textProblems('dialogId', '')),
      ...missing,
    ],
    examples: [{ body: { [ASSISTANT]: SAMPLES.assistant, dialog_id: SAMPLES.dialog } }],
  },
  translateText: {
    tag: 'AI',
    summary: 'Translate a text',
    body: inputOf(
      'TranslationInput',
      {
        [ASSISTANT]: 'assistantId',
        text: ['text', { ...text, maxLength: MAX_TEXT }],
        to_language: ['toLanguage', { ...text, maxLength: MAX_LANGUAGE }],
      },
      [ASSISTANT, 'text', 'to_language'],
    ),
    answer,
    errors: [
      new DisabledError('AI Translate is disabled'),
      new InvalidParametersError(...noAssistant, ...textProblems('text', '')),
      ...missing,
    ],
    examples: [{ body: { [ASSISTANT]: SAMPLES.assistant, text: 'Good morning', to_language: 'fr' } }],
  },
  askGateway: {
    tag: 'AI',
    summary: 'Take a conversation to the model',
    body: inputOf(
      'GatewayInput',
      {
        [ASSISTANT]: 'assistantId',
        messages: [
          'messages',
          listOf(
            requestObject(
              { role: oneOfTexts(['user', 'assistant', 'developer']), content: { anyOf: [text, listOf(part)] } },
              ['role', 'content'],
            ),
          ),
        ],
      },
      [ASSISTANT, 'messages'],
    ),
    answer,
    errors: [
      new DisabledError('AI Gateway is disabled'),
      new InvalidParametersError(...noAssistant, ...conversationProblems('hi')),
      new UnprocessableError('Image URL is not allowed'),
      ...missing,
    ],
    examples: [{ body: { [ASSISTANT]: SAMPLES.assistant, messages: [{ role: 'user', content: 'Hello' }] } }],
  },
} satisfies Record<string, OperationDocs>;
