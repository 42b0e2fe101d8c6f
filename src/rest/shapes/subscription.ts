import { shape } from './shape.ts';

export const subscriptionShape = shape(
  'PushSubscription',
  {
    id: 'id',
    device: {
      udid: 'udid',
      client_identification_sequence: 'clientIdentificationSequence',
      platform: { name: 'platform' },
      bundle_identifier: 'bundleIdentifier',
    },
    notification_channel: { name: 'channel' },
  },
  { wrapper: 'subscription', title: 'Subscription' },
);

export const pushTokenShape = shape(
  'PushToken',
  { id: 'id', environment: 'environment', client_identification_sequence: 'clientIdentificationSequence' },
  { wrapper: 'push_token' },
);
