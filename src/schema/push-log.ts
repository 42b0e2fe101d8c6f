import { STAFF } from '../administration/administrators/rights.ts';
import { type LoggedDelivery, listPushDeliveries, listPushSends } from '../resolvers/push-events/deliveries.ts';
import { PUSH_CHANNELS } from '../resolvers/pushes/channels.ts';
import { builder } from './builder.ts';
import { columns, nodeSelection } from './columns.ts';
import { CREATED_AT, oneOfNames } from './descriptions.ts';

const PushSend = builder.prismaObject('PushSend', {
  description: 'One push to all its devices: one occurrence of an event, or messages of a dialog.',
  select: columns('id', 'eventId', 'dialogId', 'recipients', 'delivered', 'failed', 'createdAt', 'finishedAt'),
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier to pass to `pushDeliveries`.' }),
    eventId: t.exposeInt('eventId', {
      nullable: true,
      description: 'Id of the event; null for messages of a dialog.',
    }),
    dialogId: t.exposeID('dialogId', {
      nullable: true,
      description: 'Id of the dialog whose messages are pushed; null for an event.',
    }),
    recipients: t.exposeInt('recipients', { description: 'Number of devices found so far.' }),
    delivered: t.exposeInt('delivered', { description: 'Number of devices whose provider accepted the push.' }),
    failed: t.exposeInt('failed', {
      description: 'Number of devices to which the delivery failed; `pushDeliveries` lists the reasons.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last delivery ended or the send was cancelled; null while it is in progress.',
    }),
  }),
});

const DeliveryStatus = builder.enumType('DeliveryStatus', {
  description: 'State of the delivery of a push to one device.',
  values: {
    PENDING: { value: 'pending', description: 'In progress, or waiting for a retry.' },
    DELIVERED: { value: 'delivered', description: 'The provider accepted the push.' },
    FAILED: { value: 'failed', description: 'The provider rejected the push, or did not accept it within 24 hours.' },
  } as const,
});

const PushDelivery = builder.objectRef<LoggedDelivery>('PushDelivery').implement({
  description:
    'The delivery of one push to one device. Acceptance by the provider does not prove that the device received it.',
  fields: (t) => ({
    sendId: t.exposeID('sendId', { description: 'Id of the send that this delivery is part of.' }),
    eventId: t.exposeInt('eventId', { nullable: true, description: 'Id of the event; null for messages of a dialog.' }),
    dialogId: t.exposeID('dialogId', {
      nullable: true,
      description: 'Id of the dialog whose messages are pushed; null for an event.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the send began.' }),
    subscriptionId: t.exposeInt('subscriptionId', {
      description: 'Id of the subscription of the device, which may have been deleted since.',
    }),
    userId: t.exposeInt('userId', { description: 'Id of the user who owns the device.' }),
    channel: t.exposeString('channel', { description: oneOfNames(PUSH_CHANNELS) }),
    status: t.expose('status', { type: DeliveryStatus, description: 'Current state of the delivery.' }),
    attempts: t.exposeInt('attempts', { description: 'Number of requests to the provider.' }),
    answer: t.exposeString('answer', {
      nullable: true,
      description: 'Latest response of the provider; null before the first.',
    }),
    answeredAt: t.expose('answeredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest response of the provider; null before the first.',
    }),
    retryAt: t.expose('retryAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the next attempt; null if none is scheduled.',
    }),
  }),
});

builder.queryField('pushSends', (t) =>
  t.withAuth({ userOrKey: true }).connection({
    scope: 'pushes',
    administrator: { roles: STAFF },
    type: PushSend,
    description:
      "Sends of one of the caller's events, newest first. An API key without `On-Behalf-Of` can also list the sends " +
      'of a dialog.',
    args: {
      eventId: t.arg.int({
        description: 'Id that `createEvents` returned. Exactly one of `eventId` and `dialogId` is required.',
      }),
      dialogId: t.arg.id({
        description:
          'Id of the dialog whose messages were pushed. Fails with `NOT_FOUND` except for an API key without ' +
          '`On-Behalf-Of`.',
      }),
    },
    resolve: (_root, args, context, info) => listPushSends(args, context, nodeSelection(context, info)),
  }),
);

builder.queryField('pushDeliveries', (t) =>
  t.withAuth({ userOrKey: true }).connection({
    scope: 'pushes',
    administrator: { roles: STAFF },
    type: PushDelivery,
    description:
      'Deliveries of a send, by subscription id; without `sendId` those of all sends, newest first. Fails with ' +
      '`FORBIDDEN` if the application does not let sessions list its users.',
    args: {
      sendId: t.arg.id({
        description:
          'Id from `pushSends`. Default: all sends, for an API key without `On-Behalf-Of`; others fail with `NOT_FOUND`.',
      }),
      userId: t.arg.int({ description: 'Only return deliveries to devices of this user. Default: all users.' }),
      status: t.arg({ type: DeliveryStatus, description: 'Only return deliveries in this state. Default: all.' }),
    },
    resolve: (_root, args, context) => listPushDeliveries(args, context),
  }),
);
