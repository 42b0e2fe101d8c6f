import {
  deletePushSettings,
  findWebPushKey,
  listPushSettings,
  updatePushSettings,
} from '../resolvers/pushes/settings.ts';
import { builder } from './builder.ts';
import { CREATED_AT, UPDATED_AT } from './descriptions.ts';

const PushProvider = builder.enumType('PushProvider', {
  description: 'Who takes pushes to devices.',
  values: {
    APNS: { value: 'apns', description: "Apple's push service." },
    FCM: { value: 'fcm', description: "Google's Firebase Cloud Messaging." },
    WEB: { value: 'web', description: 'The push services of browsers, by the Web Push protocol.' },
  } as const,
});

const PushSettings = builder.prismaObject('PushSettings', {
  description: 'A provider by which pushes reach devices, in one environment. Its secrets are never shown.',
  fields: (t) => ({
    environment: t.exposeString('environment', { description: '`production` or `development`.' }),
    provider: t.expose('provider', { type: PushProvider, description: 'Who takes the pushes.' }),
    publicId: t.exposeString('publicId', { description: 'Topic, project id or the key that browsers subscribe with.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const ApnsSettingsInput = builder.inputType('ApnsSettingsInput', {
  description: 'What Apple gave the application: a signing key and whom it signs for.',
  fields: (t) => ({
    topic: t.string({ required: true, description: 'Bundle id of the app.' }),
    teamId: t.string({ required: true, description: 'Ten characters, under Membership of the developer account.' }),
    keyId: t.string({ required: true, description: 'Ten characters, beside the key where it was downloaded.' }),
    key: t.string({ required: true, description: 'The `.p8` file.' }),
  }),
});

const FcmSettingsInput = builder.inputType('FcmSettingsInput', {
  description: 'What Google gave the application: a service account of its Firebase project.',
  fields: (t) => ({ serviceAccount: t.field({ type: 'JSON', required: true, description: 'Its JSON file.' }) }),
});

const WebPushSettingsInput = builder.inputType('WebPushSettingsInput', {
  description: 'What browsers need; the pair of keys is made by the service.',
  fields: (t) => ({
    subject: t.string({ required: true, description: 'Whom push services write to: `mailto:…` or `https://…`.' }),
  }),
});

const UpdatePushSettingsInput = builder.inputType('UpdatePushSettingsInput', {
  description: 'What one provider gave the application.',
  isOneOf: true,
  fields: (t) => ({
    apns: t.field({ type: ApnsSettingsInput, description: 'Apple, for the channels apns and apns_voip.' }),
    fcm: t.field({ type: FcmSettingsInput, description: 'Google, for the channel gcm.' }),
    web: t.field({ type: WebPushSettingsInput, description: 'Browsers, for the channel web.' }),
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
    resolve: (_query, _root, { environment, input }, context) => updatePushSettings(environment, input, context),
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
