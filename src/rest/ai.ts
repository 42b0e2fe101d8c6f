import { isObject, type ParameterValue } from '../lib/bracket-keys.ts';
import { type ParameterInput, readNumberedObject } from '../lib/parameter-values.ts';
import { errorList } from './errors.ts';
import { graphql } from './graphql.ts';
import { ok, route } from './http/route.ts';
import { aiDocs } from './openapi/docs/ai.ts';

const AssistAnswer = graphql(`mutation AssistAnswer($input: AnswerInput!) { assistAnswer(input: $input) }`);

const SummarizeDialog = graphql(`mutation SummarizeDialog($input: SummaryInput!) { summarizeDialog(input: $input) }`);

const TranslateText = graphql(`mutation TranslateText($input: TranslationInput!) { translateText(input: $input) }`);

const AskGateway = graphql(`mutation AskGateway($input: GatewayInput!) { askGateway(input: $input) }`);

export const aiRoutes = [
  route({
    method: 'post',
    path: '/ai/ai_extensions/ai_answer_assist',
    keyWins: true,
    refusesWrongTypes: true,
    document: AssistAnswer,
    variables: ({ parameters }) => ({
      input: {
        assistantId: textOnly(parameters.smart_chat_assistant_id),
        message: textOnly(parameters.message),
        history: listOrValue(parameters.history === '' ? null : parameters.history),
      },
    }),
    respond: ({ assistAnswer }) => ok({ answer: assistAnswer }),
    errors: errorList,
    docs: aiDocs.assistAnswer,
  }),
  route({
    method: 'post',
    path: '/ai/ai_extensions/ai_summarize',
    keyWins: true,
    refusesWrongTypes: true,
    document: SummarizeDialog,
    variables: ({ parameters }) => ({
      input: { assistantId: textOnly(parameters.smart_chat_assistant_id), dialogId: textOnly(parameters.dialog_id) },
    }),
    respond: ({ summarizeDialog }) => ok({ summary: summarizeDialog }),
    errors: errorList,
    docs: aiDocs.summarizeDialog,
  }),
  route({
    method: 'post',
    path: '/ai/ai_extensions/ai_translate',
    keyWins: true,
    refusesWrongTypes: true,
    document: TranslateText,
    variables: ({ parameters }) => ({
      input: {
        assistantId: textOnly(parameters.smart_chat_assistant_id),
        text: textOnly(parameters.text),
        toLanguage: textOnly(parameters.to_language),
      },
    }),
    respond: ({ translateText }) => ok({ answer: translateText }),
    errors: errorList,
    docs: aiDocs.translateText,
  }),
  route({
    method: 'post',
    path: '/ai/ai_extensions/ai_gateway',
    keyWins: true,
    refusesWrongTypes: true,
    document: AskGateway,
    variables: ({ parameters }) => ({
      input: {
        assistantId: textOnly(parameters.smart_chat_assistant_id),
        messages: conversationOf(parameters.messages),
      },
    }),
    respond: ({ askGateway }) => ok({ answer: askGateway }),
    errors: errorList,
    docs: aiDocs.askGateway,
  }),
];

/** Unlike elsewhere, numbers and booleans are not converted but count as missing. */
function textOnly(value: ParameterInput): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Keeps values that are no list, so that the operation can report them. */
function listOrValue(value: ParameterInput): ParameterInput {
  return readNumberedObject(value) ?? value;
}

function conversationOf(value: ParameterInput): ParameterInput {
  return readNumberedObject(value)?.map((message) =>
    isObject(message) ? { ...message, content: listOrValue(message.content) as ParameterValue } : message,
  );
}
