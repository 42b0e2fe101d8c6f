import { readIdList } from '../lib/casts.ts';
import type { Problem } from '../lib/problems.ts';
import { MAX_BUNDLE, MAX_SEQUENCE, MAX_UDID } from '../resolvers/push-subscriptions/rules.ts';
import { errorListOrId } from './errors.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { pushSubscriptionDocs } from './openapi/docs/push-subscriptions.ts';
import { oneOfTexts } from './openapi/docs/schemas.ts';
import {
  integerId,
  reader,
  refusedAs,
  shownAs,
  text,
  textOrEmpty,
  texts,
  unlessMissing,
} from './parameters/readers.ts';
import { asInput, limited, noted, object, objectOrEmpty, parameters, required } from './parameters/table.ts';
import { pushTokenShape, subscriptionShape } from './shapes/subscription.ts';

const CreateSubscription = graphql(
  `mutation CreateSubscription($input: CreateSubscriptionInput!) {
    createSubscription(input: $input) { ...PushSubscriptionFields }
  }`,
  [subscriptionShape],
);

const ListSubscriptions = graphql(`query ListSubscriptions { subscriptions { ...PushSubscriptionFields } }`, [
  subscriptionShape,
]);

const DeleteSubscription = graphql(`mutation DeleteSubscription($id: Int!) { deleteSubscription(id: $id) }`);

const CreatePushToken = graphql(
  `mutation CreatePushToken($input: CreatePushTokenInput!) {
    createPushToken(input: $input) { ...PushTokenFields }
  }`,
  [pushTokenShape],
);

const DeletePushToken = graphql(`mutation DeletePushToken($id: Int!) { deletePushToken(id: $id) }`);

const invalidSequence = (): Problem => 'PUSH_TOKEN_INVALID';

/** Browsers send the JSON of their `PushSubscription`. */
const token = objectOrEmpty(
  parameters('PushTokenInput', {
    environment: [
      'environment',
      refusedAs(shownAs(text, oneOfTexts(['production', 'development'])), () => 'TOKEN_ENVIRONMENT_INVALID'),
      'Environment of the app; only events of the same one arrive.',
    ],
    client_identification_sequence: [
      'clientIdentificationSequence',
      refusedAs(limited(text, { maxLength: MAX_SEQUENCE }), invalidSequence),
      `Device token from the push provider, up to ${MAX_SEQUENCE} characters. Browsers send \`endpoint\` in its place.`,
    ],
    bundle_identifier: [
      'bundleIdentifier',
      limited(text, { maxLength: MAX_BUNDLE }),
      `Identifier of the app, up to ${MAX_BUNDLE} characters.`,
    ],
    endpoint: ['endpoint', refusedAs(text, invalidSequence), 'Endpoint from the `PushSubscription` of a browser.'],
    keys: [
      'keys',
      object(
        parameters('BrowserKeysInput', {
          p256dh: ['p256dh', required(refusedAs(textOrEmpty, invalidSequence)), 'Public key, Base64url.'],
          auth: ['auth', required(refusedAs(textOrEmpty, invalidSequence)), 'Authentication secret, Base64url.'],
        }),
      ),
      'Keys from the `PushSubscription` of a browser; required with `endpoint`.',
    ],
  }),
);

const device = objectOrEmpty(
  parameters('DeviceInput', {
    platform: [
      'platform',
      required(refusedAs(shownAs(text, oneOfTexts(['ios', 'android', 'web'])), () => 'PLATFORM_INVALID')),
      'Platform of the device.',
    ],
    udid: [
      'udid',
      required(refusedAs(limited(text, { maxLength: MAX_UDID }), () => 'UDID_INVALID')),
      `Id of the device, up to ${MAX_UDID} characters.`,
    ],
  }),
);

const CHANNELS =
  'Channels, separated by commas: `apns`, `apns_voip`, `gcm`, `web` and `email`. Each one becomes a subscription.';

const newSubscription = parameters('CreateSubscriptionInput', {
  notification_channel: noted({ ...texts.schema, examples: ['apns,apns_voip'] }, CHANNELS),
  notification_channels: [
    'channels',
    reader(texts.schema, (value, { parameters }) => readIdList(value ?? parameters.notification_channel)),
    'The same; takes precedence over `notification_channel`.',
  ],
  push_token: ['token', unlessMissing(token), 'Push token of the device. Omit to use the latest stored token.'],
  device: ['device', unlessMissing(device), 'The device. Omit to use the device of the latest stored token.'],
});

export const pushSubscriptionRoutes = [
  route({
    method: 'post',
    path: '/subscriptions',
    xml: 'subscriptions',
    document: CreateSubscription,
    parameters: asInput(newSubscription),
    present: ({ createSubscription }) => createSubscription.map(subscriptionShape.present),
    errors: errorListOrId,
    docs: pushSubscriptionDocs.createSubscription,
  }),
  route({
    method: 'get',
    path: '/subscriptions',
    xml: 'subscriptions',
    document: ListSubscriptions,
    present: ({ subscriptions }) => subscriptions.map(subscriptionShape.present),
    errors: errorListOrId,
    docs: pushSubscriptionDocs.listSubscriptions,
  }),
  route({
    method: 'delete',
    path: '/subscriptions/:id',
    document: DeleteSubscription,
    inPath: { id: ['id', integerId, 'Id of the push subscription.'] },
    errors: errorListOrId,
    docs: pushSubscriptionDocs.deleteSubscription,
  }),
  route({
    method: 'post',
    path: '/push_tokens',
    document: CreatePushToken,
    parameters: asInput(
      parameters('CreatePushTokenInput', {
        push_token: ['token', required(token), 'The push token.'],
        device: ['device', required(device), 'The device of the token.'],
      }),
    ),
    shape: pushTokenShape,
    errors: errorListOrId,
    docs: pushSubscriptionDocs.createPushToken,
  }),
  route({
    method: 'delete',
    path: '/push_tokens/:id',
    document: DeletePushToken,
    inPath: { id: ['id', integerId, 'Id of the push token.'] },
    errors: errorListOrId,
    docs: pushSubscriptionDocs.deletePushToken,
  }),
];
