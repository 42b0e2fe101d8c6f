import { listPushDeliveries, listPushSends } from '../resolvers/events/deliveries.ts';
import { PUSH_CHANNELS } from '../resolvers/pushes/channels.ts';
import { builder } from './builder.ts';
import { columns, nodeSelection } from './columns.ts';
import { CREATED_AT, oneOfNames } from './descriptions.ts';

const PushSend = builder.prismaObject('PushSend', {
  description: 'One push on its way to all its devices: one time of an event, or messages of a dialog.',
  select: columns('id', 'eventId', 'dialogId', 'recipients', 'delivered', 'failed', 'createdAt', 'finishedAt'),
  fields: (t) => ({
    id: t.exposeID('id', { description: 'What `pushDeliveries` takes.' }),
    eventId: t.exposeInt('eventId', {
      nullable: true,
      description: 'The event it is one time of; null for messages of a dialog.',
    }),
    dialogId: t.exposeID('dialogId', {
      nullable: true,
      description: 'The dialog whose messages it tells of; null for an event.',
    }),
    recipients: t.exposeInt('recipients', { description: 'Devices that have been found so far.' }),
    delivered: t.exposeInt('delivered', { description: 'Devices whose provider has taken the push.' }),
    failed: t.exposeInt('failed', { description: 'Devices that did not get it, as `pushDeliveries` tells of each.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last device was served or given up, or the rest was cancelled.',
    }),
  }),
});

const DeliveryStatus = builder.enumType('DeliveryStatus', {
  description: 'How far a push has come at one device.',
  values: {
    PENDING: { value: 'pending', description: 'It is under way, or waits to be tried again.' },
    DELIVERED: { value: 'delivered', description: 'Its provider has taken it.' },
    FAILED: { value: 'failed', description: 'It was given up: refused, or tried in vain for a day.' },
  } as const,
});

const PushDelivery = builder.prismaObject('PushDelivery', {
  description: 'What became of one push at one device. Delivered means that the provider has taken it.',
  fields: (t) => ({
    subscriptionId: t.exposeInt('subscriptionId', { description: 'The device, which may be gone since.' }),
    userId: t.exposeInt('userId', { description: 'Whose device it is.' }),
    channel: t.exposeString('channel', { description: oneOfNames(PUSH_CHANNELS) }),
    status: t.expose('status', { type: DeliveryStatus, description: 'How far it has come.' }),
    attempts: t.exposeInt('attempts', { description: 'How often the provider was asked.' }),
    answer: t.exposeString('answer', { nullable: true, description: 'What the provider answered last.' }),
    answeredAt: t.expose('answeredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the provider answered last; null before it did.',
    }),
    retryAt: t.expose('retryAt', { type: 'DateTime', nullable: true, description: 'When it is tried again.' }),
  }),
});

builder.queryField('pushSends', (t) =>
  t.withAuth({ userOrKey: true }).connection({
    type: PushSend,
    description: "Sends of one of the caller's events, the newest first; for an API key alone also those of a dialog.",
    args: {
      eventId: t.arg.int({ description: 'As `createEvents` answered it; either this or a dialog.' }),
      dialogId: t.arg.id({ description: 'Whose messages were told of; for an API key alone.' }),
    },
    resolve: (_root, args, context, info) => listPushSends(args, context, nodeSelection(context, info)),
  }),
);

builder.queryField('pushDeliveries', (t) =>
  t.withAuth({ userOrKey: true }).connection({
    type: PushDelivery,
    description: 'What became of a send at its devices, by their ids.',
    args: {
      sendId: t.arg.id({ required: true, description: 'As `pushSends` lists it.' }),
      status: t.arg({ type: DeliveryStatus, description: 'Only those that have come so far; left out, all.' }),
    },
    resolve: (_root, args, context) => listPushDeliveries(args, context),
  }),
);
