import { listPushDeliveries, listPushSends } from '../resolvers/push-log.ts';
import { builder } from './builder.ts';

const PushSend = builder.prismaObject('PushSend', {
  description: 'One push on its way to all its devices: one time of an event, or messages of a dialog.',
  fields: (t) => ({
    id: t.exposeID('id'),
    eventId: t.exposeInt('eventId', { nullable: true }),
    dialogId: t.exposeID('dialogId', { nullable: true }),
    recipients: t.exposeInt('recipients', { description: 'Devices that have been found so far.' }),
    delivered: t.exposeInt('delivered'),
    failed: t.exposeInt('failed'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last device was served or given up, or the rest was cancelled.',
    }),
  }),
});

const DeliveryStatus = builder.enumType('DeliveryStatus', {
  values: {
    PENDING: { value: 'pending' },
    DELIVERED: { value: 'delivered' },
    FAILED: { value: 'failed' },
  } as const,
});

const PushDelivery = builder.prismaObject('PushDelivery', {
  description: 'What became of one push at one device. Delivered means that the provider has taken it.',
  fields: (t) => ({
    subscriptionId: t.exposeInt('subscriptionId', { description: 'The device, which may be gone since.' }),
    userId: t.exposeInt('userId'),
    channel: t.exposeString('channel'),
    status: t.expose('status', { type: DeliveryStatus }),
    attempts: t.exposeInt('attempts', { description: 'How often the provider was asked.' }),
    answer: t.exposeString('answer', { nullable: true, description: 'What the provider answered last.' }),
    answeredAt: t.expose('answeredAt', { type: 'DateTime', nullable: true }),
    retryAt: t.expose('retryAt', { type: 'DateTime', nullable: true, description: 'When it is tried again.' }),
  }),
});

builder.queryField('pushSends', (t) =>
  t.withAuth({ userOrKey: true }).connection({
    type: PushSend,
    description: "Sends of one of the caller's events, the newest first; for an API key alone also those of a dialog.",
    args: { eventId: t.arg.int(), dialogId: t.arg.id() },
    resolve: (_root, args, context) => listPushSends(args, context),
  }),
);

builder.queryField('pushDeliveries', (t) =>
  t.withAuth({ userOrKey: true }).connection({
    type: PushDelivery,
    description: 'What became of a send at its devices, by their ids.',
    args: { sendId: t.arg.id({ required: true }), status: t.arg({ type: DeliveryStatus }) },
    resolve: (_root, args, context) => listPushDeliveries(args, context),
  }),
);
