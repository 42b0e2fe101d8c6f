import { SUPPORT } from '../administration/administrators/rights.ts';
import { createSubscription } from '../resolvers/push-subscriptions/create.ts';
import { deleteSubscription } from '../resolvers/push-subscriptions/delete.ts';
import { listSubscriptions } from '../resolvers/push-subscriptions/list.ts';
import { MAX_DEVICES } from '../resolvers/push-subscriptions/rows.ts';
import { MAX_BUNDLE, MAX_SEQUENCE, MAX_UDID } from '../resolvers/push-subscriptions/rules.ts';
import { createPushToken, deletePushToken } from '../resolvers/push-subscriptions/tokens.ts';
import { PUSH_CHANNELS } from '../resolvers/pushes/channels.ts';
import { builder } from './builder.ts';
import { columns } from './columns.ts';
import { listOfNames, oneOfNames } from './descriptions.ts';

const PushSubscription = builder.prismaObject('PushSubscription', {
  description: 'A device or mailbox of the caller that receives pushes on one channel.',
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
    id: t.exposeInt('id', { description: 'Numeric id, for `deleteSubscription`.' }),
    channel: t.exposeString('channel', { description: oneOfNames(PUSH_CHANNELS) }),
    environment: t.exposeString('environment', {
      nullable: true,
      description: '`production` or `development`; null for an email subscription that belongs to both.',
    }),
    platform: t.exposeString('platform', { description: '`ios`, `android` or `web`.' }),
    udid: t.exposeString('udid', { description: 'Device id that the client chose.' }),
    clientIdentificationSequence: t.exposeString('sequence', {
      nullable: true,
      description: 'Device token of the push provider, or the push endpoint of a browser; null for email.',
    }),
    bundleIdentifier: t.exposeString('bundleIdentifier', {
      nullable: true,
      description: 'App on the device, for providers that serve several apps; null if not set.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the subscription was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its device token was last registered.' }),
  }),
});

const PushToken = builder.prismaObject('PushToken', {
  description: 'A device token of a push provider, from which subscriptions can be created.',
  select: columns('id', 'environment', 'sequence', 'bundleIdentifier'),
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric id, for `deletePushToken`.' }),
    environment: t.exposeString('environment', { description: '`production` or `development`.' }),
    clientIdentificationSequence: t.exposeString('sequence', {
      description: 'Device token of the push provider, or the push endpoint of a browser.',
    }),
    bundleIdentifier: t.exposeString('bundleIdentifier', {
      nullable: true,
      description: 'App on the device, for providers that serve several apps; null if not set.',
    }),
  }),
});

const BrowserKeysInput = builder.inputType('BrowserKeysInput', {
  description: "The `keys` of a browser's push subscription.",
  fields: (t) => ({
    p256dh: t.string({ required: true, description: 'Public key of the browser, Base64url.' }),
    auth: t.string({ required: true, description: 'Authentication secret of the browser, Base64url.' }),
  }),
});

const PushTokenInput = builder.inputType('PushTokenInput', {
  description: 'A device token. Browsers use `endpoint` and `keys` instead of `clientIdentificationSequence`.',
  fields: (t) => ({
    environment: t.string({ description: '`production` or `development`. Required.' }),
    clientIdentificationSequence: t.string({
      description: `Device token of the push provider, at most ${MAX_SEQUENCE} characters.`,
    }),
    bundleIdentifier: t.string({
      description: `App on the device, for providers that serve several apps; at most ${MAX_BUNDLE} characters.`,
    }),
    endpoint: t.string({ description: `Push endpoint URL of the browser, at most ${MAX_SEQUENCE} characters.` }),
    keys: t.field({ type: BrowserKeysInput, description: 'Encryption keys of the browser. Required with `endpoint`.' }),
  }),
});

const DeviceInput = builder.inputType('DeviceInput', {
  description: 'A device as the client identifies it.',
  fields: (t) => ({
    platform: t.string({ description: '`ios`, `android` or `web`. Required.' }),
    udid: t.string({ description: `Device id that the client chooses, at most ${MAX_UDID} characters. Required.` }),
  }),
});

const CreateSubscriptionInput = builder.inputType('CreateSubscriptionInput', {
  description: 'A device and the channels on which it receives pushes.',
  fields: (t) => ({
    channels: t.stringList({
      required: true,
      description: `At least one of ${listOfNames(PUSH_CHANNELS)}. Each channel becomes a subscription.`,
    }),
    token: t.field({ type: PushTokenInput, description: "Device token. Default: the caller's latest push token." }),
    device: t.field({
      type: DeviceInput,
      description: 'The device. Required with `token`. Default: the device of the latest push token.',
    }),
  }),
});

const CreatePushTokenInput = builder.inputType('CreatePushTokenInput', {
  description: 'A device and its token.',
  fields: (t) => ({
    token: t.field({
      type: PushTokenInput,
      required: true,
      description: 'Device token of the push provider, or the endpoint and keys of a browser.',
    }),
    device: t.field({
      type: DeviceInput,
      required: true,
      description: 'Device of the caller to which the token belongs.',
    }),
  }),
});

builder.queryField('subscriptions', (t) =>
  t.withAuth({ user: true }).prismaField({
    scope: 'pushes',
    administrator: { roles: SUPPORT },
    type: [PushSubscription],
    description: `Devices and mailboxes on which the caller receives pushes, by id; at most ${MAX_DEVICES}.`,
    resolve: (selection, _root, _args, context) => listSubscriptions(context, selection),
  }),
);

builder.mutationField('createSubscription', (t) =>
  t.withAuth({ user: true }).prismaField({
    scope: 'pushes',
    administrator: { roles: SUPPORT, isConfirmed: true, needsReason: true },
    type: [PushSubscription],
    description:
      'Subscribes a device; subscribing it again replaces its token. If the device was subscribed by another user, ' +
      `that subscription is removed. Of more than ${MAX_DEVICES} subscriptions the least recently updated are deleted. Returns ` +
      'all subscriptions of the caller.',
    args: {
      input: t.arg({ type: CreateSubscriptionInput, required: true, description: 'The device and its channels.' }),
    },
    resolve: (selection, _root, { input }, context) => createSubscription(input, context, selection),
  }),
);

builder.mutationField('deleteSubscription', (t) =>
  t.withAuth({ user: true }).boolean({
    scope: 'pushes',
    administrator: { roles: SUPPORT },
    description: 'Deletes a subscription, so that its device receives no more pushes on the channel.',
    args: { id: t.arg.int({ required: true, description: 'Id from `subscriptions`.' }) },
    resolve: (_root, { id }, context) => deleteSubscription(id, context),
  }),
);

builder.mutationField('createPushToken', (t) =>
  t.withAuth({ user: true }).prismaField({
    scope: 'pushes',
    administrator: { roles: SUPPORT, isConfirmed: true, needsReason: true },
    type: PushToken,
    description:
      'Stores a device token for `createSubscription` calls without a token. A second token for the same device ' +
      'replaces the first. Of more than 10 tokens the least recently updated are deleted.',
    args: {
      input: t.arg({
        type: CreatePushTokenInput,
        required: true,
        description: 'The device and its token.',
      }),
    },
    resolve: (selection, _root, { input }, context) => createPushToken(input, context, selection),
  }),
);

builder.mutationField('deletePushToken', (t) =>
  t.withAuth({ user: true }).boolean({
    scope: 'pushes',
    administrator: { roles: SUPPORT },
    description: 'Deletes a device token and the subscriptions created from it.',
    args: { id: t.arg.int({ required: true, description: 'Id that `createPushToken` returned.' }) },
    resolve: (_root, { id }, context) => deletePushToken(id, context),
  }),
);
