import { DEVELOPER } from '../administration/administrators/rights.ts';
import {
  createAssistant,
  deleteAssistant,
  findAssistant,
  listAssistants,
  updateAssistant,
} from '../resolvers/ai/assistants.ts';
import { MAX_MESSAGE } from '../resolvers/ai/rules.ts';
import { type AssistantTrial as TrialShape, tryAssistant } from '../resolvers/ai/try.ts';
import { builder, type InputFields } from './builder.ts';
import { columns } from './columns.ts';
import { CREATED_AT, grouped, UPDATED_AT } from './descriptions.ts';

const Assistant = builder.prismaObject('Assistant', {
  description: 'A language model behind an OpenAI-compatible API, with instructions.',
  select: columns('id', 'name', 'baseUrl', 'model', 'encryptedApiKey', 'instructions', 'createdAt', 'updatedAt'),
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id to pass as `assistantId`, for example to `assistAnswer`.' }),
    name: t.exposeString('name', { description: 'Display name; not sent to the model.' }),
    baseUrl: t.exposeString('baseUrl', {
      description: 'Base URL of the API. The server requests `<baseUrl>/chat/completions`.',
    }),
    model: t.exposeString('model', { description: 'Name of the model at `baseUrl`, for example `gpt-4o-mini`.' }),
    hasApiKey: t.boolean({
      description: 'Whether requests to the model carry an API key. The key itself is never returned.',
      resolve: ({ encryptedApiKey }) => encryptedApiKey !== null,
    }),
    instructions: t.exposeString('instructions', {
      description: 'Instructions sent to the model before each request; may be empty.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const secrets = (t: InputFields) => ({
  apiKey: t.string({
    description:
      'API key for the model, at most 4,096 printable characters without spaces. Stored encrypted and never ' +
      'returned. Null removes it.',
  }),
  instructions: t.string({
    description: 'Instructions sent to the model before each request, at most 20,000 characters.',
  }),
});

const CreateAssistantInput = builder.inputType('CreateAssistantInput', {
  description: 'A model behind an OpenAI-compatible API, and its instructions.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Display name, 1 to 255 characters.' }),
    baseUrl: t.string({
      required: true,
      description:
        'Public `http` or `https` URL of an OpenAI-compatible API, at most 2,000 characters. The server appends ' +
        '`/chat/completions`.',
    }),
    model: t.string({ required: true, description: 'Name of the model at `baseUrl`, at most 255 characters.' }),
    ...secrets(t),
  }),
});

const UpdateAssistantInput = builder.inputType('UpdateAssistantInput', {
  description:
    'The fields to change. Omitted fields remain unchanged, except that a new `baseUrl` removes the API key.',
  fields: (t) => ({
    name: t.string({ description: 'Display name, 1 to 255 characters.' }),
    baseUrl: t.string({
      description:
        'New public `http` or `https` URL. Removes the stored API key unless `apiKey` is given, so that the key ' +
        'never reaches another host.',
    }),
    model: t.string({ description: 'Name of the model at `baseUrl`, at most 255 characters.' }),
    ...secrets(t),
  }),
});

builder.queryField('assistants', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'settings',
    administrator: { roles: DEVELOPER },
    type: [Assistant],
    description: 'All assistants of the application, oldest first.',
    resolve: (selection, _root, _args, { viewer }) => listAssistants(viewer.applicationId, selection),
  }),
);

builder.queryField('assistant', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'settings',
    administrator: { roles: DEVELOPER },
    type: Assistant,
    description: 'One assistant. Fails with `NOT_FOUND` if it does not exist.',
    args: { id: t.arg.id({ required: true, description: 'Assistant id, from `assistants` or `createAssistant`.' }) },
    resolve: (selection, _root, { id }, { viewer }) => findAssistant(viewer.applicationId, id, selection),
  }),
);

builder.mutationField('createAssistant', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'settings',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: Assistant,
    description: 'Creates an assistant. Invalid values, including a non-public `baseUrl`, fail with `UNPROCESSABLE`.',
    args: {
      input: t.arg({ type: CreateAssistantInput, required: true, description: 'The model and its instructions.' }),
    },
    resolve: (selection, _root, { input }, context) => createAssistant(input, context, selection),
  }),
);

builder.mutationField('updateAssistant', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'settings',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: Assistant,
    description:
      'Changes an assistant, effective with the next request to it. Fails with `NOT_FOUND` if it does not exist.',
    args: {
      id: t.arg.id({ required: true, description: 'Assistant id, from `assistants` or `createAssistant`.' }),
      input: t.arg({ type: UpdateAssistantInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (selection, _root, { id, input }, context) => updateAssistant(id, input, context, selection),
  }),
);

const AssistantTrial = builder.objectRef<TrialShape>('AssistantTrial').implement({
  description: 'What an assistant answers to a message, or why it does not answer.',
  fields: (t) => ({
    answer: t.exposeString('answer', { nullable: true, description: 'Text of the model; null if it did not answer.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why the model did not answer, for example `responded with 401`; null if it did.',
    }),
    tokens: t.exposeInt('tokens', { description: 'Tokens of the message and the answer.' }),
    milliseconds: t.exposeInt('milliseconds', { description: 'Time until the answer was complete.' }),
  }),
});

builder.mutationField('tryAssistant', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'settings',
    administrator: { roles: DEVELOPER },
    type: AssistantTrial,
    description:
      'Sends a message to an assistant, to check its settings. Works also if the application has turned off all ' +
      'features. Fails with `NOT_FOUND` if the assistant does not exist.',
    args: {
      id: t.arg.id({ required: true, description: 'Assistant id, from `assistants` or `createAssistant`.' }),
      message: t.arg.string({
        required: true,
        description: `The message to answer, 1 to ${grouped(MAX_MESSAGE)} characters.`,
      }),
    },
    resolve: (_root, { id, message }, context) => tryAssistant({ assistantId: id, message }, context),
  }),
);

builder.mutationField('deleteAssistant', (t) =>
  t.withAuth({ key: true }).boolean({
    scope: 'settings',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    description: 'Deletes an assistant and returns true. Fails with `NOT_FOUND` if it does not exist.',
    args: { id: t.arg.id({ required: true, description: 'Assistant id, from `assistants` or `createAssistant`.' }) },
    resolve: (_root, { id }, context) => deleteAssistant(id, context),
  }),
);
