import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { readIdList, readText } from '../lib/parameter-values.ts';
import { errorListOrId } from './errors.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import { readIntegerId } from './http/integer-ids.ts';
import { created, empty, ok, route } from './http/route.ts';
import { subscriptionDocs } from './openapi/docs/subscriptions.ts';

const SubscriptionFields = graphql(`fragment SubscriptionFields on PushSubscription {
  id channel platform udid clientIdentificationSequence bundleIdentifier
}`);

const CreateSubscription = graphql(
  `mutation CreateSubscription($input: CreateSubscriptionInput!) {
    createSubscription(input: $input) { ...SubscriptionFields }
  }`,
  [SubscriptionFields],
);

const ListSubscriptions = graphql(`query ListSubscriptions { subscriptions { ...SubscriptionFields } }`, [
  SubscriptionFields,
]);

const DeleteSubscription = graphql(`mutation DeleteSubscription($id: Int!) { deleteSubscription(id: $id) }`);

const CreatePushToken = graphql(`mutation CreatePushToken($input: CreatePushTokenInput!) {
  createPushToken(input: $input) { id environment clientIdentificationSequence }
}`);

const DeletePushToken = graphql(`mutation DeletePushToken($id: Int!) { deletePushToken(id: $id) }`);

export const subscriptionRoutes = [
  route({
    method: 'post',
    path: '/subscriptions',
    xml: 'subscriptions',
    document: CreateSubscription,
    variables: ({ given }) => ({
      input: {
        channels: readIdList(given.notification_channels ?? given.notification_channel),
        token: given.push_token === undefined ? undefined : tokenOf(given.push_token),
        device: given.device === undefined ? undefined : deviceOf(given.device),
      },
    }),
    respond: ({ createSubscription }) => created(createSubscription.map(presentSubscription)),
    errors: errorListOrId,
    docs: subscriptionDocs.createSubscription,
  }),
  route({
    method: 'get',
    path: '/subscriptions',
    xml: 'subscriptions',
    document: ListSubscriptions,
    variables: () => ({}),
    respond: ({ subscriptions }) => ok(subscriptions.map(presentSubscription)),
    errors: errorListOrId,
    docs: subscriptionDocs.listSubscriptions,
  }),
  route({
    method: 'delete',
    path: '/subscriptions/:id',
    document: DeleteSubscription,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: empty,
    errors: errorListOrId,
    docs: subscriptionDocs.deleteSubscription,
  }),
  route({
    method: 'post',
    path: '/push_tokens',
    document: CreatePushToken,
    variables: ({ given }) => ({ input: { token: tokenOf(given.push_token), device: deviceOf(given.device) } }),
    respond: ({ createPushToken: { id, environment, clientIdentificationSequence } }) =>
      created({ push_token: { id, environment, client_identification_sequence: clientIdentificationSequence } }),
    errors: errorListOrId,
    docs: subscriptionDocs.createPushToken,
  }),
  route({
    method: 'delete',
    path: '/push_tokens/:id',
    document: DeletePushToken,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: empty,
    errors: errorListOrId,
    docs: subscriptionDocs.deletePushToken,
  }),
];

/** `push_token[…]`; a browser's is what its `PushSubscription` says as JSON, beside the environment. */
function tokenOf(value: ParameterValue | undefined) {
  const token: Parameters = isObject(value) ? value : {};
  return {
    environment: readText(token.environment),
    clientIdentificationSequence: readText(token.client_identification_sequence),
    bundleIdentifier: readText(token.bundle_identifier),
    endpoint: readText(token.endpoint),
    keys: isObject(token.keys)
      ? { p256dh: readText(token.keys.p256dh) ?? '', auth: readText(token.keys.auth) ?? '' }
      : undefined,
  };
}

function deviceOf(value: ParameterValue | undefined) {
  const device: Parameters = isObject(value) ? value : {};
  return { platform: readText(device.platform), udid: readText(device.udid) };
}

function presentSubscription(masked: FragmentOf<typeof SubscriptionFields>) {
  const { id, channel, platform, udid, clientIdentificationSequence, bundleIdentifier } = readFragment(
    SubscriptionFields,
    masked,
  );
  return {
    subscription: {
      id,
      device: {
        udid,
        client_identification_sequence: clientIdentificationSequence,
        platform: { name: platform },
        bundle_identifier: bundleIdentifier,
      },
      notification_channel: { name: channel },
    },
  };
}
