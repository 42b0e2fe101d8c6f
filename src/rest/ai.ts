import { readNumberedObject } from '../lib/casts.ts';
import { isObject, type JsonValue, type OptionalJson } from '../lib/json.ts';
import { MAX_LANGUAGE, MAX_MESSAGE, MAX_TEXT_CHARACTERS } from '../resolvers/ai/rules.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { aiDocs } from './openapi/docs/ai.ts';
import { described, listOf, oneOfTexts, requestObject, text } from './openapi/docs/schemas.ts';
import { reader, textOnly } from './parameters/readers.ts';
import { asInput, limited, parameters, required } from './parameters/table.ts';

const AssistAnswer = graphql(`mutation AssistAnswer($input: AnswerInput!) { assistAnswer(input: $input) }`);

const SummarizeDialog = graphql(`mutation SummarizeDialog($input: SummaryInput!) { summarizeDialog(input: $input) }`);

const TranslateText = graphql(`mutation TranslateText($input: TranslationInput!) { translateText(input: $input) }`);

const AskGateway = graphql(`mutation AskGateway($input: GatewayInput!) { askGateway(input: $input) }`);

const assistant = {
  smart_chat_assistant_id: ['assistantId', required(textOnly), 'Id of the assistant, 24 hex digits.'],
} as const;

const question = parameters('AnswerInput', {
  ...assistant,
  message: [
    'message',
    required(limited(textOnly, { maxLength: MAX_MESSAGE })),
    `The message to answer, up to ${MAX_MESSAGE} characters.`,
  ],
  history: [
    'history',
    reader(
      listOf(
        requestObject(
          {
            role: described(oneOfTexts(['user', 'assistant']), 'Author of the message.'),
            message: described(text, 'Text of the message.'),
          },
          ['role', 'message'],
        ),
      ),
      (value) => listOrValue(value === '' ? null : value),
    ),
    'Earlier messages of the conversation, oldest first.',
  ],
});

const translation = parameters('TranslationInput', {
  ...assistant,
  text: [
    'text',
    required(limited(textOnly, { maxLength: MAX_TEXT_CHARACTERS })),
    `The text to translate, up to ${MAX_TEXT_CHARACTERS} characters.`,
  ],
  to_language: [
    'toLanguage',
    required(limited(textOnly, { maxLength: MAX_LANGUAGE })),
    `Code or name of the language, such as \`fr\` or \`French\`; up to ${MAX_LANGUAGE} characters.`,
  ],
});

const part = requestObject(
  {
    type: described(oneOfTexts(['text', 'image_url']), 'Kind of the part.'),
    text: described(text, 'Required with type `text`.'),
    image_url: described(
      requestObject({ url: described(text, 'A `data:` URL, or a public `https` URL of up to 2,000 characters.') }, [
        'url',
      ]),
      'Required with type `image_url`.',
    ),
  },
  ['type'],
);

const conversation = parameters('GatewayInput', {
  ...assistant,
  messages: [
    'messages',
    required(
      reader(
        listOf(
          requestObject(
            {
              role: described(oneOfTexts(['user', 'assistant', 'developer']), 'Author of the message.'),
              content: described({ anyOf: [text, listOf(part)] }, 'A text, or a list of texts and images.'),
            },
            ['role', 'content'],
          ),
        ),
        conversationOf,
      ),
    ),
    'Messages of the conversation, oldest first.',
  ],
});

export const aiRoutes = [
  route({
    method: 'post',
    path: '/ai/ai_extensions/ai_answer_assist',
    keyWins: true,
    checksTypes: true,
    document: AssistAnswer,
    parameters: asInput(question),
    present: ({ assistAnswer }) => ({ answer: assistAnswer }),
    docs: aiDocs.assistAnswer,
  }),
  route({
    method: 'post',
    path: '/ai/ai_extensions/ai_summarize',
    keyWins: true,
    checksTypes: true,
    document: SummarizeDialog,
    parameters: asInput(
      parameters('SummaryInput', {
        ...assistant,
        dialog_id: ['dialogId', required(textOnly), 'Id of the dialog, 24 hex digits.'],
      }),
    ),
    present: ({ summarizeDialog }) => ({ summary: summarizeDialog }),
    docs: aiDocs.summarizeDialog,
  }),
  route({
    method: 'post',
    path: '/ai/ai_extensions/ai_translate',
    keyWins: true,
    checksTypes: true,
    document: TranslateText,
    parameters: asInput(translation),
    present: ({ translateText }) => ({ answer: translateText }),
    docs: aiDocs.translateText,
  }),
  route({
    method: 'post',
    path: '/ai/ai_extensions/ai_gateway',
    keyWins: true,
    checksTypes: true,
    document: AskGateway,
    parameters: asInput(conversation),
    present: ({ askGateway }) => ({ answer: askGateway }),
    docs: aiDocs.askGateway,
  }),
];

/** Keeps values that are no list, so that the operation can report them. */
function listOrValue(value: OptionalJson): OptionalJson {
  return readNumberedObject(value) ?? value;
}

function conversationOf(value: OptionalJson): OptionalJson {
  return readNumberedObject(value)?.map((message) =>
    isObject(message) ? { ...message, content: listOrValue(message.content) as JsonValue } : message,
  );
}
