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
import { integerId, listOf, oneOfTexts, requestObject, text } from './schemas.ts';

const token = inputOf('PushTokenInput', {
  environment: ['environment', oneOfTexts(['production', 'development'])],
  client_identification_sequence: ['clientIdentificationSequence', { ...text, maxLength: MAX_SEQUENCE }],
  bundle_identifier: ['bundleIdentifier', { ...text, maxLength: MAX_BUNDLE }],
  endpoint: 'endpoint',
  keys: ['keys', inputOf('BrowserKeysInput', { p256dh: 'p256dh', auth: 'auth' }, ['p256dh', 'auth'])],
});
const device = inputOf(
  'DeviceInput',
  {
    platform: ['platform', oneOfTexts(['ios', 'android', 'web'])],
    udid: ['udid', { ...text, maxLength: MAX_UDID }],
  },
  ['platform', 'udid'],
);
const invalid = [
  new UnprocessableError(...tokenProblems({ environment: 'test' }, () => true)),
  new UnprocessableError(...deviceProblems({ platform: 'car' })),
];
const path = { id: integerId };
const missing = new NotFoundError();

export const subscriptionDocs = {
  createSubscription: {
    tag: 'Subscriptions',
    summary: 'Subscribe a device to pushes',
    body: inputOf('CreateSubscriptionInput', {
      notification_channel: ['channels', { type: ['string', 'array'], items: text, examples: ['apns,apns_voip'] }],
      notification_channels: ['channels', { type: ['string', 'array'], items: text }],
      push_token: ['token', token],
      device: ['device', device],
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
    summary: 'Where the caller gets pushes',
    answer: listOf(subscriptionShape.schema),
    examples: [{}],
  },
  deleteSubscription: {
    tag: 'Subscriptions',
    summary: 'End pushes to a device',
    path,
    answer: 'nothing',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.subscription } }],
  },
  createPushToken: {
    tag: 'Subscriptions',
    summary: 'Keep the token of a device',
    body: requestObject({ push_token: token, device }, ['push_token', 'device']),
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
    summary: 'Forget a token',
    path,
    answer: 'nothing',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.pushToken } }],
  },
} satisfies Record<string, OperationDocs>;
