import {
  createAssistant,
  deleteAssistant,
  findAssistant,
  listAssistants,
  updateAssistant,
} from '../resolvers/ai/assistants.ts';
import { builder } from './builder.ts';
import { columns } from './columns.ts';
import { CREATED_AT, UPDATED_AT } from './descriptions.ts';

const Assistant = builder.prismaObject('Assistant', {
  description: 'A model that helps the users of the application.',
  select: columns('id', 'name', 'baseUrl', 'model', 'encryptedApiKey', 'instructions', 'createdAt', 'updatedAt'),
  fields: (t) => ({
    id: t.exposeID('id', { description: 'What the four helpers take as assistantId.' }),
    name: t.exposeString('name', { description: 'For people alone: models never see it.' }),
    baseUrl: t.exposeString('baseUrl'),
    model: t.exposeString('model', { description: 'Which of the models behind that address answers.' }),
    hasApiKey: t.boolean({
      description: 'Whether its endpoint is shown an API key, which is never told.',
      resolve: ({ encryptedApiKey }) => encryptedApiKey !== null,
    }),
    instructions: t.exposeString('instructions', { description: 'What it is told to be, before all it is asked.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

type InputFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>;

const secrets = (t: InputFields) => ({
  apiKey: t.string({ description: 'Kept sealed, and never shown again; null takes it away.' }),
  instructions: t.string({ description: 'At most 20,000 characters.' }),
});

const CreateAssistantInput = builder.inputType('CreateAssistantInput', {
  description: 'A model behind an OpenAI-compatible API, and what it is told to be.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'At most 255 characters.' }),
    baseUrl: t.string({
      required: true,
      description: 'Public address of an OpenAI-compatible API, to which `/chat/completions` is added.',
    }),
    model: t.string({ required: true, description: 'Its name there.' }),
    ...secrets(t),
  }),
});

const UpdateAssistantInput = builder.inputType('UpdateAssistantInput', {
  description: 'What is left out stays as it is, but for the API key when the address changes.',
  fields: (t) => ({
    name: t.string({ description: 'At most 255 characters.' }),
    baseUrl: t.string({ description: 'Another public address; its API key goes unless it is given again.' }),
    model: t.string({ description: 'Its name there.' }),
    ...secrets(t),
  }),
});

builder.queryField('assistants', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: [Assistant],
    description: "The assistants of the key's application.",
    resolve: (selection, _root, _args, { viewer }) => listAssistants(viewer.applicationId, selection),
  }),
);

builder.queryField('assistant', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: Assistant,
    description: "One assistant of the key's application.",
    args: { id: t.arg.id({ required: true, description: 'As `createAssistant` or the list answered it.' }) },
    resolve: (selection, _root, { id }, { viewer }) => findAssistant(viewer.applicationId, id, selection),
  }),
);

builder.mutationField('createAssistant', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: Assistant,
    description: "Makes an assistant of the key's application.",
    args: {
      input: t.arg({
        type: CreateAssistantInput,
        required: true,
        description: 'Where the model is and what it is told to be.',
      }),
    },
    resolve: (selection, _root, { input }, context) => createAssistant(input, context, selection),
  }),
);

builder.mutationField('updateAssistant', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: Assistant,
    description: 'Changes what is given of an assistant, from its next answer on.',
    args: {
      id: t.arg.id({ required: true, description: 'As `createAssistant` or the list answered it.' }),
      input: t.arg({ type: UpdateAssistantInput, required: true, description: 'What is to be other than it is.' }),
    },
    resolve: (selection, _root, { id, input }, context) => updateAssistant(id, input, context, selection),
  }),
);

builder.mutationField('deleteAssistant', (t) =>
  t.withAuth({ key: true }).boolean({
    description: 'Deletes an assistant; whoever names it from now on gets a 404.',
    args: { id: t.arg.id({ required: true, description: 'As `createAssistant` or the list answered it.' }) },
    resolve: (_root, { id }, context) => deleteAssistant(id, context),
  }),
);
