import { PUSH_CHANNELS } from '../resolvers/pushes/channels.ts';
import { createSubscription } from '../resolvers/subscriptions/create.ts';
import { deleteSubscription } from '../resolvers/subscriptions/delete.ts';
import { listSubscriptions } from '../resolvers/subscriptions/list.ts';
import { createPushToken, deletePushToken } from '../resolvers/subscriptions/tokens.ts';
import { builder } from './builder.ts';
import { columns } from './columns.ts';
import { listOfNames, oneOfNames } from './descriptions.ts';

const PushSubscription = builder.prismaObject('PushSubscription', {
  description: "A device, or the mailbox, of the caller's that gets pushes of one channel.",
  select: columns(
    'id',
    'channel',
    'environment',
    'platform',
    'udid',
    'sequence',
    'bundleIdentifier',
    'createdAt',
    'updatedAt',
  ),
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'By which it is ended.' }),
    channel: t.exposeString('channel', { description: oneOfNames(PUSH_CHANNELS) }),
    environment: t.exposeString('environment', {
      nullable: true,
      description: '`production` or `development`; null for e-mail that belongs to both.',
    }),
    platform: t.exposeString('platform', { description: '`ios`, `android` or `web`.' }),
    udid: t.exposeString('udid', { description: "The client's own name of the device." }),
    clientIdentificationSequence: t.exposeString('sequence', {
      nullable: true,
      description: "The provider's name of the device; of a browser its endpoint.",
    }),
    bundleIdentifier: t.exposeString('bundleIdentifier', {
      nullable: true,
      description: 'The app on that device, where a provider serves several.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the device first asked for pushes.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const PushToken = builder.prismaObject('PushToken', {
  description: 'What a provider calls a device, for subscriptions to be made from.',
  select: columns('id', 'environment', 'sequence', 'bundleIdentifier'),
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'By which it is forgotten.' }),
    environment: t.exposeString('environment', { description: '`production` or `development`.' }),
    clientIdentificationSequence: t.exposeString('sequence'),
    bundleIdentifier: t.exposeString('bundleIdentifier', {
      nullable: true,
      description: 'The app on that device, where a provider serves several.',
    }),
  }),
});

const BrowserKeysInput = builder.inputType('BrowserKeysInput', {
  description: "The `keys` of a browser's push subscription.",
  fields: (t) => ({
    p256dh: t.string({ required: true, description: 'Its public key, Base64url.' }),
    auth: t.string({ required: true, description: 'Its authentication secret, Base64url.' }),
  }),
});

const PushTokenInput = builder.inputType('PushTokenInput', {
  description: "The provider's name of a device; a browser has `endpoint` and `keys` instead of a sequence.",
  fields: (t) => ({
    environment: t.string({ description: '`production` or `development`.' }),
    clientIdentificationSequence: t.string({ description: 'At most 4096 characters.' }),
    bundleIdentifier: t.string({ description: 'The app on that device, where a provider serves several.' }),
    endpoint: t.string({ description: 'Where the browser is reached.' }),
    keys: t.field({ type: BrowserKeysInput, description: 'Those of the browser, with `endpoint`.' }),
  }),
});

const DeviceInput = builder.inputType('DeviceInput', {
  description: 'A device as its own client calls it.',
  fields: (t) => ({
    platform: t.string({ description: '`ios`, `android` or `web`.' }),
    udid: t.string({ description: "The client's own name of the device." }),
  }),
});

const CreateSubscriptionInput = builder.inputType('CreateSubscriptionInput', {
  description: 'A device and the channels it is to get pushes of.',
  fields: (t) => ({
    channels: t.stringList({
      required: true,
      description: `${listOfNames(PUSH_CHANNELS)}: each becomes a subscription.`,
    }),
    token: t.field({ type: PushTokenInput, description: "Left out, the caller's latest push token is taken." }),
    device: t.field({ type: DeviceInput, description: 'Left out, the device of that token is taken.' }),
  }),
});

const CreatePushTokenInput = builder.inputType('CreatePushTokenInput', {
  description: 'What a provider calls a device, and the device it is.',
  fields: (t) => ({
    token: t.field({ type: PushTokenInput, required: true, description: "The provider's name of it." }),
    device: t.field({ type: DeviceInput, required: true, description: "The device of the caller's that bears it." }),
  }),
});

builder.queryField('subscriptions', (t) =>
  t.withAuth({ user: true }).prismaField({
    type: [PushSubscription],
    description: 'Where the caller gets pushes, by id; at most ten.',
    resolve: (selection, _root, _args, context) => listSubscriptions(context, selection),
  }),
);

builder.mutationField('createSubscription', (t) =>
  t.withAuth({ user: true }).prismaField({
    type: [PushSubscription],
    description: 'Subscribes a device, or anew with another sequence. Answers all subscriptions of the caller.',
    args: {
      input: t.arg({ type: CreateSubscriptionInput, required: true, description: 'The device and its channels.' }),
    },
    resolve: (selection, _root, { input }, context) => createSubscription(input, context, selection),
  }),
);

builder.mutationField('deleteSubscription', (t) =>
  t.withAuth({ user: true }).boolean({
    description: 'Ends pushes to it.',
    args: { id: t.arg.int({ required: true, description: 'As `subscriptions` lists it.' }) },
    resolve: (_root, { id }, context) => deleteSubscription(id, context),
  }),
);

builder.mutationField('createPushToken', (t) =>
  t.withAuth({ user: true }).prismaField({
    type: PushToken,
    description: 'Keeps what a provider calls a device, for `createSubscription` without a token.',
    args: {
      input: t.arg({
        type: CreatePushTokenInput,
        required: true,
        description: "The device and the provider's name of it.",
      }),
    },
    resolve: (selection, _root, { input }, context) => createPushToken(input, context, selection),
  }),
);

builder.mutationField('deletePushToken', (t) =>
  t.withAuth({ user: true }).boolean({
    description: 'Forgets it, with the subscriptions made from it.',
    args: { id: t.arg.int({ required: true, description: 'As `createPushToken` answered it.' }) },
    resolve: (_root, { id }, context) => deletePushToken(id, context),
  }),
);
