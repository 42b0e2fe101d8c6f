import {
  findServiceStatus,
  MAX_COUNTED_JOBS,
  type ServiceStatus as StatusShape,
} from '../../resolvers/applications/service-status.ts';
import {
  findApplicationStats,
  type ActivityHour as HourShape,
  MAX_HOURS,
  type ApplicationStats as StatsShape,
} from '../../resolvers/applications/stats.ts';
import { builder } from '../../schema/builder.ts';
import { grouped } from '../../schema/descriptions.ts';
import { ALL } from '../administrators/rights.ts';

const ActivityHour = builder.objectRef<HourShape>('ActivityHour').implement({
  description: 'What happened in an application within one hour.',
  fields: (t) => ({
    hour: t.expose('hour', { type: 'DateTime', description: 'Start of the hour (UTC).' }),
    messages: t.exposeInt('messages', { description: 'Number of messages sent.' }),
    reactions: t.exposeInt('reactions', { description: 'Number of reactions added.' }),
    recordChanges: t.exposeInt('recordChanges', { description: 'Number of records created, updated or deleted.' }),
    pushesDelivered: t.exposeInt('pushesDelivered', {
      description: 'Number of pushes to a device that its provider accepted in this hour.',
    }),
    pushesFailed: t.exposeInt('pushesFailed', {
      description: 'Number of pushes to a device that failed for good in this hour.',
    }),
  }),
});

const ApplicationStats = builder.objectRef<StatsShape>('ApplicationStats').implement({
  description: 'Figures of an application.',
  fields: (t) => ({
    users: t.exposeInt('users', { description: 'Number of users.' }),
    usersOnline: t.exposeInt('usersOnline', { description: 'Number of users with an open socket.' }),
    files: t.exposeInt('files', { description: 'Number of files, without those of records.' }),
    fileBytes: t.expose('fileBytes', {
      type: 'SafeInt',
      description: 'Bytes of these files; uploads count when they are completed.',
    }),
    pushesDelivered: t.exposeInt('pushesDelivered', { description: 'Pushes delivered in the last 24 hours.' }),
    pushesFailed: t.exposeInt('pushesFailed', { description: 'Pushes that failed in the last 24 hours.' }),
    pushesWaiting: t.exposeInt('pushesWaiting', {
      description: 'Pushes of the last 24 hours that are in progress or wait for a retry, per device.',
    }),
    hours: t.expose('hours', { type: [ActivityHour], description: 'The requested hours, oldest first.' }),
  }),
});

builder.queryField('applicationStats', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'settings',
    administrator: { roles: ALL },
    type: ApplicationStats,
    description: 'Figures of the application, for dashboards.',
    args: {
      hours: t.arg.int({
        required: true,
        defaultValue: 24,
        description: `Number of hours of activity, 1 to ${MAX_HOURS}. The last one is the current hour.`,
      }),
    },
    resolve: (_root, { hours }, context) => findApplicationStats(context.viewer.applicationId, hours, context),
  }),
);

const ChatStatus = builder.objectRef<NonNullable<StatusShape['chat']>>('ChatStatus').implement({
  description: 'The live chat of legacy clients, in the process that answers.',
  fields: (t) => ({
    streams: t.exposeInt('streams', { description: 'Open streams.' }),
    rooms: t.exposeInt('rooms', { description: 'Dialogs that clients of any process have joined.' }),
    refusedSignIns: t.exposeInt('refusedSignIns', { description: 'Refused sign-ins since the process started.' }),
    failedStreams: t.exposeInt('failedStreams', {
      description:
        'Streams that the service has ended with an error since the process started: limits, malformed XML, ended credentials.',
    }),
  }),
});

const ServiceStatus = builder.objectRef<StatusShape>('ServiceStatus').implement({
  description: 'State of the service: the process that answers, and its database.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Release that runs, by semantic versioning.' }),
    nodeVersion: t.exposeString('nodeVersion', { description: 'Version of Node.js.' }),
    postgresVersion: t.exposeString('postgresVersion', { description: 'Version of PostgreSQL.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When the process started.' }),
    isDatabaseReadOnly: t.exposeBoolean('isDatabaseReadOnly', {
      description: 'True on a standby, or if the operator has set it: changes then fail with `SERVICE_UNAVAILABLE`.',
    }),
    databaseBytes: t.expose('databaseBytes', {
      type: 'SafeInt',
      description: 'Size of the database on disk, in bytes.',
    }),
    fileBytes: t.expose('fileBytes', {
      type: 'SafeInt',
      description: 'Bytes of the files of all applications, without those of records.',
    }),
    diskFreeBytes: t.expose('diskFreeBytes', {
      type: 'SafeInt',
      nullable: true,
      description: 'Free bytes of the file system with `DATA_DIR`; null if it does not report them.',
    }),
    diskTotalBytes: t.expose('diskTotalBytes', {
      type: 'SafeInt',
      nullable: true,
      description: 'Size of the file system with `DATA_DIR`, in bytes; null if it does not report it.',
    }),
    chat: t.expose('chat', {
      type: ChatStatus,
      nullable: true,
      description: 'The live chat of legacy clients; null if it is off.',
    }),
    waitingPushJobs: t.exposeInt('waitingPushJobs', {
      description: `Number of push jobs that wait for their turn, at most ${grouped(MAX_COUNTED_JOBS)}.`,
    }),
  }),
});

builder.queryField('serviceStatus', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: ALL },
    type: ServiceStatus,
    description: 'State of the service, for all applications.',
    resolve: (_root, _args, context) => findServiceStatus(context),
  }),
);
