import { createEvents } from '../resolvers/events/create.ts';
import { deleteEvent } from '../resolvers/events/delete.ts';
import { type EventStatus as EventStatusShape, findEvent, findEventStatus } from '../resolvers/events/find.ts';
import { listEvents } from '../resolvers/events/list.ts';
import { updateEvent } from '../resolvers/events/update.ts';
import { DEFAULT_CHANNELS, KEY_CHANNELS, PUSH_CHANNELS, USER_CHANNELS } from '../resolvers/pushes/channels.ts';
import { builder } from './builder.ts';
import { columns, nodeSelection } from './columns.ts';
import { APPLICATION_ID, CREATED_AT, listOfNames, oneOfNames, UPDATED_AT } from './descriptions.ts';
import { metered } from './metered.ts';

const Event = builder.prismaObject('Event', {
  description: 'A push that is sent to some users, once or again and again.',
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
    id: t.exposeInt('id', { description: 'By which it is changed, cancelled and asked how far it has come.' }),
    userId: t.exposeInt('userId', { description: 'The creator; 0 for an API key alone.' }),
    applicationId: t.exposeInt('applicationId', { description: APPLICATION_ID }),
    eventType: t.exposeString('eventType', { description: '`one_shot`, `fixed_date` or `period_date`.' }),
    environment: t.exposeString('environment', { description: '`production` or `development`.' }),
    channel: t.exposeString('channel', { description: oneOfNames(PUSH_CHANNELS) }),
    name: t.exposeString('name', { nullable: true, description: 'For people alone, to tell events apart.' }),
    message: t.exposeString('message', {
      description: "As the channel's clients take it: `payload=` or `data.message=`, then Base64.",
    }),
    date: t.expose('date', { type: 'UnixTime', nullable: true, description: 'The first send; null: at once.' }),
    period: t.expose('period', { type: 'Seconds', nullable: true, description: 'Between sends.' }),
    endDate: t.expose('endDate', {
      type: 'UnixTime',
      nullable: true,
      description: 'The last moment at which a send may come; null: none.',
    }),
    active: t.exposeBoolean('active', { description: 'Whether a send is due.' }),
    occuredCount: t.exposeInt('occuredCount', { description: 'Sends that are completed.' }),
    tagQuery: t.exposeString('tagQuery', { nullable: true, description: 'The tags as they were asked for.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const EventStatus = builder.objectRef<EventStatusShape>('EventStatus').implement({
  description: 'How far an event has come; the counts are those of its latest send.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: "The event's." }),
    active: t.exposeBoolean('active', { description: 'Whether a send is due.' }),
    occuredCount: t.exposeInt('occuredCount', { description: 'Sends that are completed.' }),
    lastSentAt: t.expose('lastSentAt', {
      type: 'UnixTime',
      nullable: true,
      description: 'When its latest send began; null before the first.',
    }),
    recipients: t.exposeInt('recipients', { description: 'Devices it goes to.' }),
    delivered: t.exposeInt('delivered', { description: 'Devices whose provider has taken the push.' }),
    failed: t.exposeInt('failed', { description: 'Devices that did not get it, as `pushDeliveries` tells of each.' }),
  }),
});

const EventTagsInput = builder.inputType('EventTagsInput', {
  description:
    'Users with any of `any`, all of `all` and none of `exclude`; at most 100 tags of 1 to 50 characters in all lists together.',
  fields: (t) => ({
    any: t.stringList({ description: 'Users have at least one of these tags.' }),
    all: t.stringList({ description: 'Users have every one of these tags.' }),
    exclude: t.stringList({ description: 'Users with any of these tags get nothing, however else they are named.' }),
  }),
});

const oneEach = DEFAULT_CHANNELS.map((channel) => `one for \`${channel}\``).join(' and ');

const CreateEventsInput = builder.inputType('CreateEventsInput', {
  description:
    'Recipients are all users who are named, by whatever way, but for those with an excluded tag. `userIds` and `externalUserIds` have at most 1,000 items together, by an API key alone 10,000.',
  fields: (t) => ({
    notificationType: t.string({ description: '`push`, also when it is left out.' }),
    environment: t.string({ description: '`production` or `development`.' }),
    pushType: t.string({
      description: `${listOfNames(USER_CHANNELS)} or, by an API key alone, ${listOfNames(KEY_CHANNELS)}; left out, ${oneEach}.`,
    }),
    eventType: t.string({ description: '`one_shot`, `fixed_date` or `period_date`; left out, as `period` says.' }),
    name: t.string({ description: 'For people alone, to tell events apart; at most 255 characters.' }),
    message: t.string({ description: 'Base64 of a text or of a JSON object, at most 8192 bytes.' }),
    date: t.field({ type: 'UnixTime', description: 'The first send; left out, at once.' }),
    period: t.field({ type: 'Seconds', description: 'At least 60.' }),
    endDate: t.field({ type: 'UnixTime', description: 'The last moment at which a send may come.' }),
    userIds: t.intList({ description: 'Users by their ids.' }),
    externalUserIds: t.field({
      type: ['SafeInt'],
      description: 'Users by their ids in an integrated external system.',
    }),
    tags: t.field({ type: EventTagsInput, description: 'Users by their tags, as they are when a send comes.' }),
    tagQuery: t.string({
      description: 'The tags as they were asked for, at most 32768 bytes; left out, the JSON of `tags`.',
    }),
  }),
});

const UpdateEventInput = builder.inputType('UpdateEventInput', {
  description: 'What is left out stays as it is.',
  fields: (t) => ({
    active: t.boolean({ description: 'False cancels; true has an event sent again that is not active.' }),
    message: t.string({ description: 'Base64 of a text or of a JSON object, at most 8192 bytes.' }),
    name: t.string({ description: 'For people alone, to tell events apart; at most 255 characters.' }),
    date: t.field({ type: 'UnixTime', description: 'Another moment of the first send.' }),
    period: t.field({ type: 'Seconds', description: 'Between sends, at least 60.' }),
    endDate: t.field({ type: 'UnixTime', description: 'Another last moment at which a send may come.' }),
  }),
});

builder.queryField('events', (t) =>
  t.withAuth({ userOrKey: true }).connection(
    {
      type: Event,
      description: "The caller's events, the newest first; of an API key alone those that no user made.",
      args: {
        skip: t.arg.int({ description: 'Events to pass over; its cost grows with it, that of cursors does not.' }),
      },
      resolve: (_root, args, context, info) => listEvents(args, context, nodeSelection(context, info)),
    },
    { fields: metered },
  ),
);

builder.queryField('event', (t) =>
  t.withAuth({ userOrKey: true }).prismaField({
    type: Event,
    description: 'One event of the caller, or for an API key alone one that no user made.',
    args: { id: t.arg.int({ required: true, description: 'As `createEvents` answered it.' }) },
    resolve: (selection, _root, { id }, context) => findEvent(id, context, selection),
  }),
);

builder.queryField('eventStatus', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: EventStatus,
    description: 'How far an event has come.',
    args: { id: t.arg.int({ required: true, description: 'As `createEvents` answered it.' }) },
    resolve: (_root, { id }, context) => findEventStatus(id, context),
  }),
);

builder.mutationField('createEvents', (t) =>
  t.withAuth({ userOrKey: true }).prismaField({
    type: [Event],
    description: 'Has a push sent to users, at once or later: one event, or one for each channel.',
    args: { input: t.arg({ type: CreateEventsInput, required: true, description: 'Whom to tell, what, and when.' }) },
    resolve: (selection, _root, { input }, context) => createEvents(input, context, selection),
  }),
);

builder.mutationField('updateEvent', (t) =>
  t.withAuth({ userOrKey: true }).prismaField({
    type: Event,
    description: 'Changes what is given of an event, cancels it or has it sent again.',
    args: {
      id: t.arg.int({ required: true, description: 'As `createEvents` answered it.' }),
      input: t.arg({ type: UpdateEventInput, required: true, description: 'What is to be other than it is.' }),
    },
    resolve: (selection, _root, { id, input }, context) => updateEvent(id, input, context, selection),
  }),
);

builder.mutationField('deleteEvent', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    description: 'Deletes it; what of it is still to be sent is dropped.',
    args: { id: t.arg.int({ required: true, description: 'As `createEvents` answered it.' }) },
    resolve: (_root, { id }, context) => deleteEvent(id, context),
  }),
);
