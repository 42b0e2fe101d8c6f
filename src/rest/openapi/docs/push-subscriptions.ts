import { NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { deviceProblems, tokenProblems } from '../../../resolvers/push-subscriptions/rules.ts';
import { subscriptionShape } from '../../shapes/subscription.ts';
import { docsOf } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { listOf } from './schemas.ts';

const invalid = [
  new UnprocessableError(...tokenProblems({ environment: 'test' }, () => true)),
  new UnprocessableError(...deviceProblems({ platform: 'car' })),
];
const missing = new NotFoundError();

export const pushSubscriptionDocs = docsOf('Subscriptions', {
  createSubscription: {
    summary: 'Subscribe a device to pushes',
    description:
      'Subscribes a device on one or several channels and returns all subscriptions of the caller. A device ' +
      'that is already subscribed keeps its id and receives the new token. A user has at most 10 subscriptions; ' +
      'beyond that, the least recently updated ones are removed.',
    status: 201,
    answer: listOf(subscriptionShape.schema),
    errors: [...invalid, new UnprocessableError('CHANNEL_UNKNOWN'), new UnprocessableError('PUSH_TOKEN_REQUIRED')],
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
    summary: 'List push subscriptions',
    description: 'Returns all subscriptions of the caller, at most 10, sorted by id.',
    answer: listOf(subscriptionShape.schema),
    examples: [{}],
  },
  deleteSubscription: {
    summary: 'Delete a push subscription',
    description: 'Stops pushes to the device on this channel.',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.subscription } }],
  },
  createPushToken: {
    summary: 'Store a push token',
    description:
      'Stores the push token of a device. `POST /subscriptions` without `push_token` uses the latest stored ' +
      'token.',
    status: 201,
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
    summary: 'Delete a push token',
    description: 'Deletes a push token and the subscriptions that were created from it.',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.pushToken } }],
  },
});
