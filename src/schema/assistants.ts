import {
  createAssistant,
  deleteAssistant,
  findAssistant,
  listAssistants,
  updateAssistant,
} from '../resolvers/assistants.ts';
import { builder } from './builder.ts';

const Assistant = builder.prismaObject('Assistant', {
  description: 'A model that helps the users of the application.',
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    baseUrl: t.exposeString('baseUrl'),
    model: t.exposeString('model'),
    hasApiKey: t.boolean({
      description: 'Whether its endpoint is shown an API key, which is never told.',
      resolve: ({ sealedApiKey }) => sealedApiKey !== null,
    }),
    instructions: t.exposeString('instructions', { description: 'What it is told to be, before all it is asked.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

type InputFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>;

const secrets = (t: InputFields) => ({
  apiKey: t.string({ description: 'Kept sealed, and never shown again; null takes it away.' }),
  instructions: t.string({ description: 'At most 20,000 characters.' }),
});

const CreateAssistantInput = builder.inputType('CreateAssistantInput', {
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
  fields: (t) => ({ name: t.string(), baseUrl: t.string(), model: t.string(), ...secrets(t) }),
});

builder.queryField('assistants', (t) =>
  t.withAuth({ key: true }).field({
    type: [Assistant],
    description: "The assistants of the key's application.",
    resolve: (_root, _args, { viewer }) => listAssistants(viewer.applicationId),
  }),
);

builder.queryField('assistant', (t) =>
  t.withAuth({ key: true }).field({
    type: Assistant,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, { viewer }) => findAssistant(viewer.applicationId, id),
  }),
);

builder.mutationField('createAssistant', (t) =>
  t.withAuth({ key: true }).field({
    type: Assistant,
    description: "Makes an assistant of the key's application.",
    args: { input: t.arg({ type: CreateAssistantInput, required: true }) },
    resolve: (_root, { input }, context) => createAssistant(input, context),
  }),
);

builder.mutationField('updateAssistant', (t) =>
  t.withAuth({ key: true }).field({
    type: Assistant,
    args: { id: t.arg.id({ required: true }), input: t.arg({ type: UpdateAssistantInput, required: true }) },
    resolve: (_root, { id, input }, context) => updateAssistant(id, input, context),
  }),
);

builder.mutationField('deleteAssistant', (t) =>
  t.withAuth({ key: true }).boolean({
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => deleteAssistant(id, context),
  }),
);
