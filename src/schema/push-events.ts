import { STAFF } from '../administration/administrators/rights.ts';
import { sendCountsLoader } from '../resolvers/push-events/counts.ts';
import { createEvents } from '../resolvers/push-events/create.ts';
import { deleteEvent } from '../resolvers/push-events/delete.ts';
import { type EventStatus as EventStatusShape, findEvent, findEventStatus } from '../resolvers/push-events/find.ts';
import { listEvents } from '../resolvers/push-events/list.ts';
import {
  MAX_EVENT_TAGS,
  MAX_KEY_RECIPIENTS,
  MAX_MESSAGE_BYTES,
  MAX_NAME,
  MAX_RECIPIENTS,
  MAX_TAG_QUERY_BYTES,
} from '../resolvers/push-events/rules.ts';
import { updateEvent } from '../resolvers/push-events/update.ts';
import { DEFAULT_CHANNELS, KEY_CHANNELS, PUSH_CHANNELS, USER_CHANNELS } from '../resolvers/pushes/channels.ts';
import { builder } from './builder.ts';
import { columns, nodeSelection } from './columns.ts';
import { APPLICATION_ID, CREATED_AT, grouped, listOfNames, oneOfNames, skipped, UPDATED_AT } from './descriptions.ts';
import { withTotalCount } from './total-count.ts';

const Event = builder.prismaObject('Event', {
  description: 'A push to a set of users, sent once or repeatedly.',
  select: columns(
    'id',
    'userId',
    'applicationId',
    'eventType',
    'environment',
    'channel',
    'name',
    'message',
    'date',
    'period',
    'endDate',
    'active',
    'occuredCount',
    'tagQuery',
    'createdAt',
    'updatedAt',
  ),
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric id, for `updateEvent`, `deleteEvent` and `eventStatus`.' }),
    userId: t.exposeInt('userId', {
      description: 'Id of the user who created it; 0 for an API key without `On-Behalf-Of`.',
    }),
    applicationId: t.exposeInt('applicationId', { description: APPLICATION_ID }),
    eventType: t.exposeString('eventType', {
      description:
        '`one_shot` (once, immediately or at `date`), `fixed_date` (once, at `date`) or `period_date` (repeatedly).',
    }),
    environment: t.exposeString('environment', { description: '`production` or `development`.' }),
    channel: t.exposeString('channel', { description: oneOfNames(PUSH_CHANNELS) }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Label that distinguishes events, and the subject of pushes by email; null if not set.',
    }),
    message: t.exposeString('message', {
      description: 'Payload as the channel stores it: `payload=` or `data.message=`, followed by Base64.',
    }),
    date: t.expose('date', {
      type: 'UnixTime',
      nullable: true,
      description: 'Time of the first send; null means immediately.',
    }),
    period: t.expose('period', {
      type: 'Seconds',
      nullable: true,
      description: 'Time between sends of a `period_date` event; null if not set.',
    }),
    endDate: t.expose('endDate', {
      type: 'UnixTime',
      nullable: true,
      description: 'Latest time at which a send may start; null means no end.',
    }),
    active: t.exposeBoolean('active', { description: 'Whether a send is scheduled or in progress.' }),
    occuredCount: t.exposeInt('occuredCount', { description: 'Number of completed sends.' }),
    delivered: t.int({
      description: 'Number of devices whose provider accepted the push, of all sends that the push log still has.',
      resolve: async (event, _args, { loaders }) => (await loaders.of(sendCountsLoader).load(event)).delivered,
    }),
    failed: t.int({
      description: 'Number of devices to which the delivery failed, of all sends that the push log still has.',
      resolve: async (event, _args, { loaders }) => (await loaders.of(sendCountsLoader).load(event)).failed,
    }),
    tagQuery: t.exposeString('tagQuery', {
      nullable: true,
      description: 'The tags in the form in which the creator gave them; null without tags.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const EventStatus = builder.objectRef<EventStatusShape>('EventStatus').implement({
  description: 'Progress of an event. The counts are those of its latest send.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Id that `createEvents` returned.' }),
    active: t.exposeBoolean('active', { description: 'Whether a send is scheduled or in progress.' }),
    occuredCount: t.exposeInt('occuredCount', { description: 'Number of completed sends.' }),
    lastSentAt: t.expose('lastSentAt', {
      type: 'UnixTime',
      nullable: true,
      description: 'Start of the latest send; null before the first send.',
    }),
    recipients: t.exposeInt('recipients', { description: 'Number of devices found so far.' }),
    delivered: t.exposeInt('delivered', { description: 'Number of devices whose provider accepted the push.' }),
    failed: t.exposeInt('failed', {
      description: 'Number of devices to which the delivery failed; `pushDeliveries` lists the reasons.',
    }),
  }),
});

const EventTagsInput = builder.inputType('EventTagsInput', {
  description:
    'Selects users who have at least one tag of `any`, every tag of `all` and no tag of `exclude`. The three lists ' +
    `have at most ${MAX_EVENT_TAGS} tags of 1 to 50 characters in total.`,
  fields: (t) => ({
    any: t.stringList({ description: 'Users must have at least one of these tags.' }),
    all: t.stringList({ description: 'Users must have every one of these tags.' }),
    exclude: t.stringList({
      description: 'Users with one of these tags receive nothing, even if they are named by id.',
    }),
  }),
});

const CreateEventsInput = builder.inputType('CreateEventsInput', {
  description:
    'A push, its schedule and its recipients: all users named by id, external id or tags, except users with an ' +
    `excluded tag. \`userIds\` and \`externalUserIds\` have at most ${grouped(MAX_RECIPIENTS)} entries in total, or ${grouped(MAX_KEY_RECIPIENTS)} for an API key ` +
    'without `On-Behalf-Of`.',
  fields: (t) => ({
    notificationType: t.string({ description: 'Must be `push`, which is the default.' }),
    environment: t.string({ description: '`production` or `development`. Required.' }),
    pushType: t.string({
      description:
        `Channel: ${listOfNames(USER_CHANNELS)} or, for an API key without \`On-Behalf-Of\`, ` +
        `${listOfNames(KEY_CHANNELS)}. Default: one event for each of ${listOfNames(DEFAULT_CHANNELS)}.`,
    }),
    eventType: t.string({
      description:
        '`one_shot`, `fixed_date` or `period_date`. Default: `period_date` if `period` is given, otherwise `one_shot`.',
    }),
    name: t.string({
      description: `Label that distinguishes events, and the subject of pushes by email; at most ${MAX_NAME} characters.`,
    }),
    message: t.string({
      description: `A text or JSON object as Base64, at most ${MAX_MESSAGE_BYTES} bytes. Required.`,
    }),
    date: t.field({
      type: 'UnixTime',
      description: 'Time of the first send. Default: immediately. Must be in the future for `fixed_date`.',
    }),
    period: t.field({
      type: 'Seconds',
      description: 'Time between sends, at least 60 seconds. Required for `period_date`.',
    }),
    endDate: t.field({
      type: 'UnixTime',
      description: 'Latest time at which a send may start; not before `date`. Default: no end.',
    }),
    userIds: t.intList({ description: 'Ids of the users to notify.' }),
    externalUserIds: t.field({
      type: ['SafeInt'],
      description: 'Users to notify, by their ids in an integrated external system.',
    }),
    tags: t.field({
      type: EventTagsInput,
      description: 'Users to notify, selected by their tags at the time of each send.',
    }),
    tagQuery: t.string({
      description:
        `The tags in the form in which the client writes them; stored but not evaluated. At most ${MAX_TAG_QUERY_BYTES} bytes. ` +
        'Default: the JSON of `tags`.',
    }),
  }),
});

const UpdateEventInput = builder.inputType('UpdateEventInput', {
  description: 'The fields to change. Omitted fields remain unchanged.',
  fields: (t) => ({
    active: t.boolean({
      description: 'False cancels the event and its pending deliveries; true schedules an inactive event again.',
    }),
    message: t.string({ description: `A text or JSON object as Base64, at most ${MAX_MESSAGE_BYTES} bytes.` }),
    name: t.string({
      description: `Label that distinguishes events, and the subject of pushes by email; at most ${MAX_NAME} characters.`,
    }),
    date: t.field({ type: 'UnixTime', description: 'New time of the first send.' }),
    period: t.field({ type: 'Seconds', description: 'New time between sends, at least 60 seconds.' }),
    endDate: t.field({ type: 'UnixTime', description: 'New latest time at which a send may start; null removes it.' }),
  }),
});

builder.queryField('events', (t) =>
  t.withAuth({ userOrKey: true }).connection(
    {
      scope: 'pushes',
      administrator: { roles: STAFF },
      type: Event,
      description:
        "The caller's events, newest first; for an API key without `On-Behalf-Of`, the events that no user created.",
      args: {
        skip: t.arg.int({ description: skipped('events') }),
      },
      resolve: (_root, args, context, info) => listEvents(args, context, nodeSelection(context, info)),
    },
    { fields: withTotalCount },
  ),
);

builder.queryField('event', (t) =>
  t.withAuth({ userOrKey: true }).prismaField({
    scope: 'pushes',
    administrator: { roles: STAFF },
    type: Event,
    description: 'One event. Fails with `NOT_FOUND` if it does not exist or belongs to another user.',
    args: { id: t.arg.int({ required: true, description: 'Id that `createEvents` returned.' }) },
    resolve: (selection, _root, { id }, context) => findEvent(id, context, selection),
  }),
);

builder.queryField('eventStatus', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'pushes',
    administrator: { roles: STAFF },
    type: EventStatus,
    description: 'Progress of an event and the counts of its latest send.',
    args: { id: t.arg.int({ required: true, description: 'Id that `createEvents` returned.' }) },
    resolve: (_root, { id }, context) => findEventStatus(id, context),
  }),
);

builder.mutationField('createEvents', (t) =>
  t.withAuth({ userOrKey: true }).prismaField({
    scope: 'pushes:send',
    administrator: { roles: STAFF },
    type: [Event],
    description:
      'Schedules a push to users: one event, or one for each default channel if `pushType` is omitted. Fails with ' +
      '`UNPROCESSABLE` and lists all problems of the input.',
    args: {
      input: t.arg({
        type: CreateEventsInput,
        required: true,
        description: 'Recipients, content and schedule of the push.',
      }),
    },
    resolve: (selection, _root, { input }, context) => createEvents(input, context, selection),
  }),
);

builder.mutationField('updateEvent', (t) =>
  t.withAuth({ userOrKey: true }).prismaField({
    scope: 'pushes',
    administrator: { roles: STAFF },
    type: Event,
    description: 'Changes, cancels or reactivates an event.',
    args: {
      id: t.arg.int({ required: true, description: 'Id that `createEvents` returned.' }),
      input: t.arg({ type: UpdateEventInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (selection, _root, { id, input }, context) => updateEvent(id, input, context, selection),
  }),
);

builder.mutationField('deleteEvent', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    scope: 'pushes',
    administrator: { roles: STAFF, isConfirmed: true },
    description: 'Deletes an event and cancels its pending deliveries.',
    args: { id: t.arg.int({ required: true, description: 'Id that `createEvents` returned.' }) },
    resolve: (_root, { id }, context) => deleteEvent(id, context),
  }),
);
