import { SUPPORT } from '../administration/administrators/rights.ts';
import { askGateway, assistAnswer, streamAnswer, translateText } from '../resolvers/ai/answers.ts';
import { presentPart } from '../resolvers/ai/live.ts';
import { MAX_HISTORY } from '../resolvers/ai/prompts.ts';
import { MAX_CONVERSATION, MAX_IMAGES, MAX_LANGUAGE, MAX_MESSAGE, MAX_TEXT_CHARACTERS } from '../resolvers/ai/rules.ts';
import { streamSummary, summarizeDialog } from '../resolvers/ai/summaries.ts';
import { builder } from './builder.ts';
import { ASSISTANT_ID, DIALOG_ID, grouped } from './descriptions.ts';

// All fields are optional, because the resolvers report a disabled feature before missing or malformed fields.

const AnswerInput = builder.inputType('AnswerInput', {
  description: 'A message to answer, and the conversation before it.',
  fields: (t) => ({
    assistantId: t.id({ description: ASSISTANT_ID }),
    message: t.string({ description: `The message, 1 to ${grouped(MAX_MESSAGE)} characters. Required.` }),
    history: t.field({
      type: 'JSON',
      description:
        'Earlier messages, oldest first: `[{ "role": "user", "message": "Hi" }]`. Roles are `user` and ' +
        `\`assistant\`. Only the latest messages, up to ${grouped(MAX_HISTORY)} characters, reach the model.`,
    }),
  }),
});

const SummaryInput = builder.inputType('SummaryInput', {
  description: 'A dialog to summarize. Both fields are required.',
  fields: (t) => ({ assistantId: t.id({ description: ASSISTANT_ID }), dialogId: t.id({ description: DIALOG_ID }) }),
});

const TranslationInput = builder.inputType('TranslationInput', {
  description: 'A text to translate. All fields are required.',
  fields: (t) => ({
    assistantId: t.id({ description: ASSISTANT_ID }),
    text: t.string({ description: `The text, 1 to ${grouped(MAX_TEXT_CHARACTERS)} characters.` }),
    toLanguage: t.string({
      description: `Target language as a code or a name, for example \`de\` or \`German\`; at most ${MAX_LANGUAGE} characters.`,
    }),
  }),
});

const GatewayInput = builder.inputType('GatewayInput', {
  description: 'A conversation to pass to the model unchanged.',
  fields: (t) => ({
    assistantId: t.id({ description: ASSISTANT_ID }),
    messages: t.field({
      type: 'JSON',
      description:
        'The conversation: `[{ "role": "user", "content": "Hi" }]`. Roles are `user`, `assistant` and ' +
        '`developer`. `content` is a text or a list of `{ "type": "text", "text": "…" }` and `{ "type": ' +
        `"image_url", "image_url": { "url": "…" } }\`. At most ${grouped(MAX_CONVERSATION)} characters of text and ${MAX_IMAGES} images; each ` +
        'image is a public `https` URL or a `data:` URL. Any other image URL fails with `UNPROCESSABLE`.',
    }),
  }),
});

const AnswerPart = builder.objectRef<{ text: string; isLast: boolean }>('AnswerPart').implement({
  description: 'A part of an answer. Concatenate the parts to get the complete answer.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'Text generated since the previous part; may be empty.' }),
    isLast: t.exposeBoolean('isLast', { description: 'Whether this is the last part.' }),
  }),
});

builder.mutationField('assistAnswer', (t) =>
  t.withAuth({ userOrKey: true }).string({
    scope: 'ai',
    administrator: { roles: SUPPORT, needsReason: true },
    description:
      'Proposes an answer to a message. Fails with `DISABLED` if the application has disabled the feature, ' +
      '`RATE_LIMITED` if the user has used up `aiDailyTokens`, and `SERVICE_UNAVAILABLE` if the model does not respond.',
    args: {
      input: t.arg({ type: AnswerInput, required: true, description: 'The assistant and the message to answer.' }),
    },
    resolve: (_root, { input }, context) => assistAnswer(input, context),
  }),
);

builder.mutationField('summarizeDialog', (t) =>
  t.withAuth({ userOrKey: true }).string({
    scope: 'ai',
    administrator: { roles: SUPPORT, needsReason: true },
    description:
      'Summarizes the latest 1,000 messages of a dialog that the caller can see. Fails like `assistAnswer`, ' +
      'with `NOT_FOUND` if the dialog does not exist, and with `FORBIDDEN` if the caller is not an occupant.',
    args: {
      input: t.arg({ type: SummaryInput, required: true, description: 'The assistant and the dialog to summarize.' }),
    },
    resolve: (_root, { input }, context) => summarizeDialog(input, context),
  }),
);

builder.mutationField('translateText', (t) =>
  t.withAuth({ userOrKey: true }).string({
    scope: 'ai',
    administrator: { roles: SUPPORT, needsReason: true },
    description: 'Translates a text. Fails like `assistAnswer`.',
    args: {
      input: t.arg({
        type: TranslationInput,
        required: true,
        description: 'The assistant, the text and the target language.',
      }),
    },
    resolve: (_root, { input }, context) => translateText(input, context),
  }),
);

builder.mutationField('askGateway', (t) =>
  t.withAuth({ userOrKey: true }).string({
    scope: 'ai',
    administrator: { roles: SUPPORT, needsReason: true },
    description:
      "Passes a conversation to the model unchanged, preceded by the assistant's instructions, and returns the " +
      'response. Fails like `assistAnswer`.',
    args: {
      input: t.arg({
        type: GatewayInput,
        required: true,
        description: 'The assistant and the conversation to pass on.',
      }),
    },
    resolve: (_root, { input }, context) => askGateway(input, context),
  }),
);

builder.subscriptionField('answerStream', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'ai',
    administrator: { roles: SUPPORT, needsReason: true },
    type: AnswerPart,
    description: 'Streams the answer of `assistAnswer` in parts. The subscription completes after the last part.',
    args: {
      input: t.arg({ type: AnswerInput, required: true, description: 'The assistant and the message to answer.' }),
    },
    subscribe: (_root, { input }, context) => streamAnswer(input, context),
    resolve: ({ payload }) => presentPart(payload),
  }),
);

builder.subscriptionField('summaryStream', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'ai',
    administrator: { roles: SUPPORT, needsReason: true },
    type: AnswerPart,
    description: 'Streams the summary of `summarizeDialog` in parts. The subscription completes after the last part.',
    args: {
      input: t.arg({ type: SummaryInput, required: true, description: 'The assistant and the dialog to summarize.' }),
    },
    subscribe: (_root, { input }, context) => streamSummary(input, context),
    resolve: ({ payload }) => presentPart(payload),
  }),
);
