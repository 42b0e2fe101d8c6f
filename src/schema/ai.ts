import { askGateway, assistAnswer, streamAnswer, translateText } from '../resolvers/ai/answers.ts';
import { presentPart } from '../resolvers/ai/live.ts';
import { streamSummary, summarizeDialog } from '../resolvers/ai/summaries.ts';
import { builder } from './builder.ts';
import { ASSISTANT_ID, DIALOG_ID } from './descriptions.ts';

// What is missing or malformed in these inputs is told by the resolvers, after whether the helper is switched on.

const AnswerInput = builder.inputType('AnswerInput', {
  description: 'A message to be answered, and what was said before it.',
  fields: (t) => ({
    assistantId: t.id({ description: ASSISTANT_ID }),
    message: t.string({ description: 'At most 2000 characters.' }),
    history: t.field({
      type: 'JSON',
      description: 'What was said before: `[{ role: "user" or "assistant", message: "…" }]`.',
    }),
  }),
});

const SummaryInput = builder.inputType('SummaryInput', {
  description: 'A dialog to be summarized.',
  fields: (t) => ({ assistantId: t.id({ description: ASSISTANT_ID }), dialogId: t.id({ description: DIALOG_ID }) }),
});

const TranslationInput = builder.inputType('TranslationInput', {
  description: 'A text to be translated.',
  fields: (t) => ({
    assistantId: t.id({ description: ASSISTANT_ID }),
    text: t.string({ description: 'At most 5000 characters.' }),
    toLanguage: t.string({ description: 'A code or a name.' }),
  }),
});

const GatewayInput = builder.inputType('GatewayInput', {
  description: 'A conversation for the model, as it is.',
  fields: (t) => ({
    assistantId: t.id({ description: ASSISTANT_ID }),
    messages: t.field({
      type: 'JSON',
      description:
        '`[{ role: "user", "assistant" or "developer", content: "…" }]`; content may also be a list of ' +
        '`{ type: "text", text: "…" }` and `{ type: "image_url", image_url: { url: "…" } }`.',
    }),
  }),
});

const AnswerPart = builder.objectRef<{ text: string; isLast: boolean }>('AnswerPart').implement({
  description: 'What has come of an answer; the parts together are the answer.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'What has come since the part before; may be empty.' }),
    isLast: t.exposeBoolean('isLast', { description: 'The answer is whole now, and nothing more comes.' }),
  }),
});

builder.mutationField('assistAnswer', (t) =>
  t.withAuth({ userOrKey: true }).string({
    description: 'An answer that an assistant proposes to a message.',
    args: {
      input: t.arg({ type: AnswerInput, required: true, description: 'The assistant and what it is to answer.' }),
    },
    resolve: (_root, { input }, context) => assistAnswer(input, context),
  }),
);

builder.mutationField('summarizeDialog', (t) =>
  t.withAuth({ userOrKey: true }).string({
    description: 'A summary of the latest 1000 messages of a dialog that the caller can see.',
    args: { input: t.arg({ type: SummaryInput, required: true, description: 'The assistant and the dialog.' }) },
    resolve: (_root, { input }, context) => summarizeDialog(input, context),
  }),
);

builder.mutationField('translateText', (t) =>
  t.withAuth({ userOrKey: true }).string({
    description: 'A text in another language, as an assistant translates it.',
    args: {
      input: t.arg({
        type: TranslationInput,
        required: true,
        description: 'The assistant, the text and the language.',
      }),
    },
    resolve: (_root, { input }, context) => translateText(input, context),
  }),
);

builder.mutationField('askGateway', (t) =>
  t.withAuth({ userOrKey: true }).string({
    description: 'Takes a conversation to the model as it is, behind the instructions of the assistant.',
    args: { input: t.arg({ type: GatewayInput, required: true, description: 'The assistant and the conversation.' }) },
    resolve: (_root, { input }, context) => askGateway(input, context),
  }),
);

builder.subscriptionField('answerStream', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: AnswerPart,
    description: 'As `assistAnswer`, bit by bit.',
    args: {
      input: t.arg({ type: AnswerInput, required: true, description: 'The assistant and what it is to answer.' }),
    },
    subscribe: (_root, { input }, context) => streamAnswer(input, context),
    resolve: ({ payload }) => presentPart(payload),
  }),
);

builder.subscriptionField('summaryStream', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: AnswerPart,
    description: 'As `summarizeDialog`, bit by bit.',
    args: { input: t.arg({ type: SummaryInput, required: true, description: 'The assistant and the dialog.' }) },
    subscribe: (_root, { input }, context) => streamSummary(input, context),
    resolve: ({ payload }) => presentPart(payload),
  }),
);
