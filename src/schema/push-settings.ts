import { ALL, DEVELOPER } from '../administration/administrators/rights.ts';
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
  description: 'External services that deliver pushes to devices.',
  values: Object.fromEntries(
    CONFIGURED_PROVIDERS.map(({ name, description }) => [name.toUpperCase(), { value: name, description }]),
  ) as Record<string, { value: ProviderName }>,
});

const PushSettings = builder.prismaObject('PushSettings', {
  description: 'Settings of a push provider in one environment. Secrets are never returned.',
  select: columns('environment', 'provider', 'publicId', 'createdAt', 'updatedAt'),
  fields: (t) => ({
    environment: t.exposeString('environment', { description: '`production` or `development`.' }),
    provider: t.expose('provider', { type: PushProvider, description: 'The service that delivers the pushes.' }),
    publicId: t.exposeString('publicId', {
      description: 'Public part of the settings: APNs topic, FCM project id, or public key for browsers.',
    }),
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
  description: 'Credentials for exactly one provider.',
  isOneOf: true,
  fields: (t) =>
    Object.fromEntries(settingsInputs.map(({ name, type, description }) => [name, t.field({ type, description })])),
});

builder.queryField('pushSettings', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'settings',
    administrator: { roles: DEVELOPER },
    type: [PushSettings],
    description: 'Push providers that are set up for the application of the API key.',
    resolve: (selection, _root, _args, context) => listPushSettings(context, selection),
  }),
);

builder.queryField('webPushKey', (t) =>
  t.withAuth({ user: true }).string({
    scope: 'pushes',
    administrator: { roles: ALL },
    description:
      'Public key to pass as `applicationServerKey` when a browser subscribes. Fails with `NOT_FOUND` if browser ' +
      'pushes are not set up in the environment.',
    args: { environment: t.arg.string({ required: true, description: '`production` or `development`.' }) },
    resolve: (_root, { environment }, context) => findWebPushKey(environment, context),
  }),
);

builder.mutationField('updatePushSettings', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'settings',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: PushSettings,
    description:
      'Sets up a push provider or replaces its settings. For browsers, a key pair is generated the first time.',
    args: {
      environment: t.arg.string({ required: true, description: '`production` or `development`.' }),
      input: t.arg({
        type: UpdatePushSettingsInput,
        required: true,
        description: 'Credentials for exactly one provider.',
      }),
    },
    resolve: (selection, _root, { environment, input }, context) =>
      updatePushSettings(environment, input, context, selection),
  }),
);

builder.mutationField('deletePushSettings', (t) =>
  t.withAuth({ key: true }).boolean({
    scope: 'settings',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    description: 'Deletes the settings of a provider, which stops its pushes. Subscriptions remain.',
    args: {
      environment: t.arg.string({ required: true, description: '`production` or `development`.' }),
      provider: t.arg({ type: PushProvider, required: true, description: 'Provider whose settings are deleted.' }),
    },
    resolve: (_root, { environment, provider }, context) => deletePushSettings(environment, provider, context),
  }),
);
