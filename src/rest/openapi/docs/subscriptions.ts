import { NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import {
  deviceProblems,
  MAX_BUNDLE,
  MAX_SEQUENCE,
  MAX_UDID,
  tokenProblems,
} from '../../../resolvers/subscriptions/rules.ts';
import { pushTokenShape, subscriptionShape } from '../../shapes/subscription.ts';
import { inputOf } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { described, integerId, listOf, oneOfTexts, requestObject, text } from './schemas.ts';

const token = inputOf('PushTokenInput', {
  environment: [
    'environment',
    described(oneOfTexts(['production', 'development']), 'Environment of the app; only events of the same one arrive.'),
  ],
  client_identification_sequence: [
    'clientIdentificationSequence',
    described(
      { ...text, maxLength: MAX_SEQUENCE },
      `Device token from the push provider, up to ${MAX_SEQUENCE} characters. Browsers send \`endpoint\` in its place.`,
    ),
  ],
  bundle_identifier: [
    'bundleIdentifier',
    described({ ...text, maxLength: MAX_BUNDLE }, `Identifier of the app, up to ${MAX_BUNDLE} characters.`),
  ],
  endpoint: ['endpoint', described(text, 'Endpoint from the `PushSubscription` of a browser.')],
  keys: [
    'keys',
    described(
      inputOf(
        'BrowserKeysInput',
        {
          p256dh: ['p256dh', described(text, 'Public key, Base64url.')],
          auth: ['auth', described(text, 'Authentication secret, Base64url.')],
        },
        ['p256dh', 'auth'],
      ),
      'Keys from the `PushSubscription` of a browser; required with `endpoint`.',
    ),
  ],
});
const device = inputOf(
  'DeviceInput',
  {
    platform: ['platform', described(oneOfTexts(['ios', 'android', 'web']), 'Platform of the device.')],
    udid: ['udid', described({ ...text, maxLength: MAX_UDID }, `Id of the device, up to ${MAX_UDID} characters.`)],
  },
  ['platform', 'udid'],
);
const invalid = [
  new UnprocessableError(...tokenProblems({ environment: 'test' }, () => true)),
  new UnprocessableError(...deviceProblems({ platform: 'car' })),
];
const path = { id: described(integerId, 'Id of the push subscription.') };
const tokenPath = { id: described(integerId, 'Id of the push token.') };
const missing = new NotFoundError();

const CHANNELS =
  'Channels, separated by commas: `apns`, `apns_voip`, `gcm`, `web` and `email`. Each one becomes a subscription.';

export const subscriptionDocs = {
  createSubscription: {
    tag: 'Subscriptions',
    summary: 'Subscribe a device to pushes',
    description:
      'Subscribes a device on one or several channels and returns all subscriptions of the caller. A device ' +
      'that is already subscribed keeps its id and receives the new token. A user has at most 10 subscriptions; ' +
      'beyond that, the least recently updated ones are removed.',
    body: inputOf('CreateSubscriptionInput', {
      notification_channel: [
        'channels',
        described({ type: ['string', 'array'], items: text, examples: ['apns,apns_voip'] }, CHANNELS),
      ],
      notification_channels: [
        'channels',
        described(
          { type: ['string', 'array'], items: text },
          'The same; takes precedence over `notification_channel`.',
        ),
      ],
      push_token: ['token', described(token, 'Push token of the device. Omit to use the latest stored token.')],
      device: ['device', described(device, 'The device. Omit to use the device of the latest stored token.')],
    }),
    status: 201,
    answer: listOf(subscriptionShape.schema),
    errors: [
      ...invalid,
      new UnprocessableError('Unknown notification channel'),
      new UnprocessableError('Push token is required'),
    ],
    examples: [
      {
        body: {
          notification_channel: 'gcm',
          push_token: { environment: 'development', client_identification_sequence: 'seq', bundle_identifier: 'com.x' },
          device: { platform: 'android', udid: 'u1' },
        },
      },
    ],
  },
  listSubscriptions: {
    tag: 'Subscriptions',
    summary: 'List push subscriptions',
    description: 'Returns all subscriptions of the caller, at most 10, sorted by id.',
    answer: listOf(subscriptionShape.schema),
    examples: [{}],
  },
  deleteSubscription: {
    tag: 'Subscriptions',
    summary: 'Delete a push subscription',
    description: 'Stops pushes to the device on this channel.',
    path,
    answer: 'nothing',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.subscription } }],
  },
  createPushToken: {
    tag: 'Subscriptions',
    summary: 'Store a push token',
    description:
      'Stores the push token of a device. `POST /subscriptions` without `push_token` uses the latest stored ' +
      'token.',
    body: requestObject(
      { push_token: described(token, 'The push token.'), device: described(device, 'The device of the token.') },
      ['push_token', 'device'],
    ),
    status: 201,
    answer: pushTokenShape.schema,
    errors: invalid,
    examples: [
      {
        body: {
          push_token: { environment: 'development', client_identification_sequence: 'seq' },
          device: { platform: 'ios', udid: 'u2' },
        },
      },
    ],
  },
  deletePushToken: {
    tag: 'Subscriptions',
    summary: 'Delete a push token',
    description: 'Deletes a push token and the subscriptions that were created from it.',
    path: tokenPath,
    answer: 'nothing',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.pushToken } }],
  },
} satisfies Record<string, OperationDocs>;
