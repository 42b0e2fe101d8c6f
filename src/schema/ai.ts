import { askGateway, assistAnswer, streamAnswer, translateText } from '../resolvers/ai/answers.ts';
import { shownPart } from '../resolvers/ai/live.ts';
import { streamSummary, summarizeDialog } from '../resolvers/ai/summaries.ts';
import { builder } from './builder.ts';

// What is missing or malformed in these inputs is told by the resolvers, after whether the helper is switched on.

const AnswerInput = builder.inputType('AnswerInput', {
  fields: (t) => ({
    assistantId: t.id(),
    message: t.string({ description: 'At most 2000 characters.' }),
    history: t.field({
      type: 'JSON',
      description: 'What was said before: `[{ role: "user" or "assistant", message: "…" }]`.',
    }),
  }),
});

const SummaryInput = builder.inputType('SummaryInput', {
  fields: (t) => ({ assistantId: t.id(), dialogId: t.id() }),
});

const TranslationInput = builder.inputType('TranslationInput', {
  fields: (t) => ({
    assistantId: t.id(),
    text: t.string({ description: 'At most 5000 characters.' }),
    toLanguage: t.string({ description: 'A code or a name.' }),
  }),
});

const GatewayInput = builder.inputType('GatewayInput', {
  fields: (t) => ({
    assistantId: t.id(),
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
    text: t.exposeString('text'),
    isLast: t.exposeBoolean('isLast', { description: 'The answer is whole now, and nothing more comes.' }),
  }),
});

builder.mutationField('assistAnswer', (t) =>
  t.withAuth({ userOrKey: true }).string({
    description: 'An answer that an assistant proposes to a message.',
    args: { input: t.arg({ type: AnswerInput, required: true }) },
    resolve: (_root, { input }, context) => assistAnswer(input, context),
  }),
);

builder.mutationField('summarizeDialog', (t) =>
  t.withAuth({ userOrKey: true }).string({
    description: 'A summary of the latest 1000 messages of a dialog that the caller can see.',
    args: { input: t.arg({ type: SummaryInput, required: true }) },
    resolve: (_root, { input }, context) => summarizeDialog(input, context),
  }),
);

builder.mutationField('translateText', (t) =>
  t.withAuth({ userOrKey: true }).string({
    args: { input: t.arg({ type: TranslationInput, required: true }) },
    resolve: (_root, { input }, context) => translateText(input, context),
  }),
);

builder.mutationField('askGateway', (t) =>
  t.withAuth({ userOrKey: true }).string({
    description: 'Takes a conversation to the model as it is, behind the instructions of the assistant.',
    args: { input: t.arg({ type: GatewayInput, required: true }) },
    resolve: (_root, { input }, context) => askGateway(input, context),
  }),
);

builder.subscriptionField('answerStream', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: AnswerPart,
    description: 'As `assistAnswer`, bit by bit.',
    args: { input: t.arg({ type: AnswerInput, required: true }) },
    subscribe: (_root, { input }, context) => streamAnswer(input, context),
    resolve: ({ told }) => shownPart(told),
  }),
);

builder.subscriptionField('summaryStream', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: AnswerPart,
    description: 'As `summarizeDialog`, bit by bit.',
    args: { input: t.arg({ type: SummaryInput, required: true }) },
    subscribe: (_root, { input }, context) => streamSummary(input, context),
    resolve: ({ told }) => shownPart(told),
  }),
);
