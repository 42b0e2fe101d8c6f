import {
  deletePushSettings,
  findWebPushKey,
  listPushSettings,
  updatePushSettings,
} from '../resolvers/push-settings.ts';
import { builder } from './builder.ts';

const PushProvider = builder.enumType('PushProvider', {
  values: { APNS: { value: 'apns' }, FCM: { value: 'fcm' }, WEB: { value: 'web' } } as const,
});

const PushSettings = builder.prismaObject('PushSettings', {
  description: 'A provider by which pushes reach devices, in one environment. Its secrets are never shown.',
  fields: (t) => ({
    environment: t.exposeString('environment', { description: '`production` or `development`.' }),
    provider: t.expose('provider', { type: PushProvider }),
    publicId: t.exposeString('publicId', { description: 'Topic, project id or the key that browsers subscribe with.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const ApnsSettingsInput = builder.inputType('ApnsSettingsInput', {
  fields: (t) => ({
    topic: t.string({ required: true, description: 'Bundle id of the app.' }),
    teamId: t.string({ required: true }),
    keyId: t.string({ required: true }),
    key: t.string({ required: true, description: 'The `.p8` file.' }),
  }),
});

const FcmSettingsInput = builder.inputType('FcmSettingsInput', {
  fields: (t) => ({ serviceAccount: t.field({ type: 'JSON', required: true, description: 'Its JSON file.' }) }),
});

const WebPushSettingsInput = builder.inputType('WebPushSettingsInput', {
  fields: (t) => ({
    subject: t.string({ required: true, description: 'Whom push services write to: `mailto:…` or `https://…`.' }),
  }),
});

const UpdatePushSettingsInput = builder.inputType('UpdatePushSettingsInput', {
  description: 'What one provider gave the application.',
  isOneOf: true,
  fields: (t) => ({
    apns: t.field({ type: ApnsSettingsInput }),
    fcm: t.field({ type: FcmSettingsInput }),
    web: t.field({ type: WebPushSettingsInput }),
  }),
});

builder.queryField('pushSettings', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: [PushSettings],
    description: "The providers of pushes that are set up for the key's application.",
    resolve: (_query, _root, _args, context) => listPushSettings(context),
  }),
);

builder.queryField('webPushKey', (t) =>
  t.withAuth({ user: true }).string({
    description: 'What a browser subscribes with, as `applicationServerKey`.',
    args: { environment: t.arg.string({ required: true }) },
    resolve: (_root, { environment }, context) => findWebPushKey(environment, context),
  }),
);

builder.mutationField('updatePushSettings', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: PushSettings,
    description: 'Sets a provider of pushes up, or anew. For browsers a pair of keys is made the first time.',
    args: {
      environment: t.arg.string({ required: true, description: '`production` or `development`.' }),
      input: t.arg({ type: UpdatePushSettingsInput, required: true }),
    },
    resolve: (_query, _root, { environment, input }, context) => updatePushSettings(environment, input, context),
  }),
);

builder.mutationField('deletePushSettings', (t) =>
  t.withAuth({ key: true }).boolean({
    description: 'Ends pushes by the provider; subscriptions stay.',
    args: { environment: t.arg.string({ required: true }), provider: t.arg({ type: PushProvider, required: true }) },
    resolve: (_root, { environment, provider }, context) => deletePushSettings(environment, provider, context),
  }),
);
