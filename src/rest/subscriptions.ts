import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { readIdList, readText } from '../lib/parameter-values.ts';
import { errorListOrId } from './errors.ts';
import { graphql } from './graphql.ts';
import { readIntegerId } from './http/integer-ids.ts';
import { created, empty, ok, route } from './http/route.ts';
import { subscriptionDocs } from './openapi/docs/subscriptions.ts';
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

export const subscriptionRoutes = [
  route({
    method: 'post',
    path: '/subscriptions',
    xml: 'subscriptions',
    document: CreateSubscription,
    variables: ({ parameters }) => ({
      input: {
        channels: readIdList(parameters.notification_channels ?? parameters.notification_channel),
        token: parameters.push_token === undefined ? undefined : tokenOf(parameters.push_token),
        device: parameters.device === undefined ? undefined : deviceOf(parameters.device),
      },
    }),
    respond: ({ createSubscription }) => created(createSubscription.map(subscriptionShape.present)),
    errors: errorListOrId,
    docs: subscriptionDocs.createSubscription,
  }),
  route({
    method: 'get',
    path: '/subscriptions',
    xml: 'subscriptions',
    document: ListSubscriptions,
    variables: () => ({}),
    respond: ({ subscriptions }) => ok(subscriptions.map(subscriptionShape.present)),
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
    variables: ({ parameters }) => ({
      input: { token: tokenOf(parameters.push_token), device: deviceOf(parameters.device) },
    }),
    respond: ({ createPushToken }) => created(pushTokenShape.present(createPushToken)),
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

/** Browsers send the JSON of their `PushSubscription`. */
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
