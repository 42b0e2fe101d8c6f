import type { PushProvider as ProviderName } from '../generated/prisma/enums.ts';
import { CONFIGURED_PROVIDERS } from '../resolvers/pushes/channels.ts';
import {
  deletePushSettings,
  findWebPushKey,
  listPushSettings,
  updatePushSettings,
} from '../resolvers/pushes/settings.ts';
import { builder } from './builder.ts';
import { columns } from './columns.ts';
import { CREATED_AT, UPDATED_AT } from './descriptions.ts';

const PushProvider = builder.enumType('PushProvider', {
  description: 'Who takes pushes to devices.',
  values: Object.fromEntries(
    CONFIGURED_PROVIDERS.map(({ name, description }) => [name.toUpperCase(), { value: name, description }]),
  ) as Record<string, { value: ProviderName }>,
});

const PushSettings = builder.prismaObject('PushSettings', {
  description: 'A provider by which pushes reach devices, in one environment. Its secrets are never shown.',
  select: columns('environment', 'provider', 'publicId', 'createdAt', 'updatedAt'),
  fields: (t) => ({
    environment: t.exposeString('environment', { description: '`production` or `development`.' }),
    provider: t.expose('provider', { type: PushProvider, description: 'Who takes the pushes.' }),
    publicId: t.exposeString('publicId', { description: 'Topic, project id or the key that browsers subscribe with.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const settingsInputs = CONFIGURED_PROVIDERS.map(({ name, settings: { input, fields } }) => {
  const type = builder.inputType(input.name, {
    description: input.description,
    fields: (t) =>
      Object.fromEntries(
        Object.entries(fields).map(([field, { description, file }]) => [
          field,
          t.field({ type: file === 'json' ? 'JSON' : 'String', required: true, description }),
        ]),
      ),
  });
  return { name, type, description: input.argument };
});

const UpdatePushSettingsInput = builder.inputType('UpdatePushSettingsInput', {
  description: 'What one provider gave the application.',
  isOneOf: true,
  fields: (t) =>
    Object.fromEntries(settingsInputs.map(({ name, type, description }) => [name, t.field({ type, description })])),
});

builder.queryField('pushSettings', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: [PushSettings],
    description: "The providers of pushes that are set up for the key's application.",
    resolve: (selection, _root, _args, context) => listPushSettings(context, selection),
  }),
);

builder.queryField('webPushKey', (t) =>
  t.withAuth({ user: true }).string({
    description: 'What a browser subscribes with, as `applicationServerKey`.',
    args: { environment: t.arg.string({ required: true, description: '`production` or `development`.' }) },
    resolve: (_root, { environment }, context) => findWebPushKey(environment, context),
  }),
);

builder.mutationField('updatePushSettings', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: PushSettings,
    description: 'Sets a provider of pushes up, or anew. For browsers a pair of keys is made the first time.',
    args: {
      environment: t.arg.string({ required: true, description: '`production` or `development`.' }),
      input: t.arg({ type: UpdatePushSettingsInput, required: true, description: 'Exactly one provider.' }),
    },
    resolve: (selection, _root, { environment, input }, context) =>
      updatePushSettings(environment, input, context, selection),
  }),
);

builder.mutationField('deletePushSettings', (t) =>
  t.withAuth({ key: true }).boolean({
    description: 'Ends pushes by the provider; subscriptions stay.',
    args: {
      environment: t.arg.string({ required: true, description: '`production` or `development`.' }),
      provider: t.arg({ type: PushProvider, required: true, description: 'Whose settings go.' }),
    },
    resolve: (_root, { environment, provider }, context) => deletePushSettings(environment, provider, context),
  }),
);
