import type { AdministratorViewer } from '../../lib/access.ts';
import type { SentError } from '../../platform/observability/request-errors.ts';
import { NO_APPLICATION_ID } from '../../platform/observability/request-log.ts';
import { builder } from '../../schema/builder.ts';
import { ALL, DEVELOPER } from '../administrators/rights.ts';
import { requireOwnerOfAll } from '../administrators/rules.ts';
import {
  type RequestFigures as FiguresShape,
  findRequestFigures,
  type RequestOutcomes,
} from '../request-log/figures.ts';
import { type LoggedRequestRow, listRequests, type RequestLogConnection } from '../request-log/list.ts';
import { subscribeToRequests } from '../request-log/live.ts';
import { listRequestShapes, MAX_HOURS, MAX_SHAPES, type RequestShape as ShapeRow } from '../request-log/shapes.ts';

const RequestTransport = builder.enumType('RequestTransport', {
  description: 'How a request reached the service.',
  values: {
    REST: { value: 'rest', description: 'An endpoint of the REST interface, or an unknown path.' },
    GRAPHQL: { value: 'graphql', description: 'GraphQL over HTTP.' },
    WEBSOCKET: { value: 'websocket', description: 'An operation of a GraphQL WebSocket, or its refused sign-in.' },
    XMPP: { value: 'xmpp', description: 'A stanza of a legacy chat client.' },
    PAGE: { value: 'page', description: 'A page for browsers or one of its files.' },
  } as const,
});

const RequestCaller = builder.enumType('RequestCaller', {
  description: 'Who sent a request, by its credentials.',
  values: {
    ANONYMOUS: { value: 'anonymous', description: 'No credentials were sent.' },
    REFUSED: { value: 'refused', description: 'The credentials were wrong, expired or contradictory.' },
    SESSION: { value: 'session', description: 'A session of an application without a user.' },
    USER: { value: 'user', description: 'A signed-in user.' },
    API_KEY: { value: 'apiKey', description: 'An API key, also with `On-Behalf-Of`.' },
    ADMINISTRATOR: { value: 'administrator', description: 'A person in the console, also as a user.' },
  } as const,
});

const RequestError = builder.objectRef<SentError>('RequestError').implement({
  description: 'An error that a client received. Values of the request are replaced by `…`.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'Text of the error, at most 300 characters.' }),
    code: t.exposeString('code', { nullable: true, description: 'Code of the error, for example `NOT_FOUND`.' }),
    path: t.exposeString('path', {
      nullable: true,
      description: 'Place in the GraphQL response, for example `dialogs.edges.0`; null if there is none.',
    }),
  }),
});

const CLASS_NAME = 'Class of the records that were listed, of the first list; null if none was.';
const MISSING_INDEX =
  'Fields of the index that the list lacks: those with exact values, then the one that sorts it. Empty if none helps.';

const LoggedRequest = builder.objectRef<LoggedRequestRow>('LoggedRequest').implement({
  description:
    'A failed or slow request. Contains no credentials, variables, query strings or texts of users, and of the path ' +
    'only its pattern.',
  fields: (t) => ({
    id: t.id({ description: 'Identifier within the application.', resolve: ({ id }) => String(id) }),
    at: t.expose('at', { type: 'DateTime', description: 'Time at which the request ended.' }),
    requestId: t.exposeString('requestId', {
      description:
        'Id in the header `X-Request-Id` and in log lines. Clients can choose it, so it need not be unique. ' +
        'Operations of a socket have the id of the socket.',
    }),
    host: t.exposeString('host', { description: 'Name of the machine that answered.' }),
    pid: t.exposeInt('pid', { description: 'Number of the process that answered.' }),
    transport: t.expose('transport', { type: RequestTransport, description: 'How the request was sent.' }),
    method: t.exposeString('method', { nullable: true, description: 'HTTP method; null over a socket.' }),
    route: t.exposeString('route', {
      description: 'Pattern of the path, for example `/users/:id`; `unknown` for a path without endpoint.',
    }),
    path: t.exposeString('path', {
      nullable: true,
      description: 'Shape of an unknown path, with values replaced; null if the route is known.',
    }),
    operation: t.exposeString('operation', {
      nullable: true,
      description: 'Name that the client gave the GraphQL operation.',
    }),
    fields: t.exposeStringList('fields', { description: 'Root fields of the GraphQL operation, at most ten.' }),
    status: t.exposeInt('status', {
      description:
        'HTTP status of the outcome. For GraphQL errors in a response with status 200 or over a socket, the status ' +
        'that REST has for the error.',
    }),
    httpStatus: t.exposeInt('httpStatus', { nullable: true, description: 'HTTP status as sent; null over a socket.' }),
    errors: t.expose('errors', { type: [RequestError], description: 'Errors that the client received, at most five.' }),
    durationMs: t.exposeFloat('durationMs', {
      description: 'Milliseconds from the arrival of the request to the end of its response.',
    }),
    isSlow: t.exposeBoolean('isSlow', {
      description: 'Whether it took at least the configured time. Streams and transfers of files are never slow.',
    }),
    isCutOff: t.exposeBoolean('isCutOff', {
      description: 'Whether the client disconnected before it had received the response.',
    }),
    caller: t.expose('caller', { type: RequestCaller, description: 'Kind of the caller.' }),
    userId: t.exposeInt('userId', {
      nullable: true,
      description: 'Id of the user, also if an API key or an administrator acts as the user.',
    }),
    apiKeyId: t.exposeInt('apiKeyId', { nullable: true, description: 'Id of the API key that was used.' }),
    administratorId: t.exposeInt('administratorId', {
      nullable: true,
      description: 'Id of the administrator who sent the request in the console, also as a user.',
    }),
    sessionId: t.exposeInt('sessionId', { nullable: true, description: 'Id of the session of the application.' }),
    network: t.exposeString('network', {
      nullable: true,
      description: 'Network address of the client, IPv6 addresses as a /64 prefix.',
    }),
    userAgent: t.exposeString('userAgent', {
      nullable: true,
      description: 'Header `User-Agent`, at most 200 characters; null over a socket.',
    }),
    responseBytes: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Bytes of the response body; null for a stream.',
      resolve: ({ responseBytes }) => (responseBytes === null ? null : Number(responseBytes)),
    }),
    className: t.exposeString('className', { nullable: true, description: CLASS_NAME }),
    missingIndex: t.exposeStringList('missingIndex', { description: MISSING_INDEX }),
  }),
});

const RequestLogFilter = builder.inputType('RequestLogFilter', {
  description: 'Conditions of which all must hold. Omitted fields and null select all requests.',
  fields: (t) => ({
    minStatus: t.int({ description: 'Lowest `status`, for example 500.' }),
    maxStatus: t.int({ description: 'Highest `status`, for example 499.' }),
    transport: t.field({ type: RequestTransport, description: 'How the request was sent.' }),
    contains: t.string({
      description:
        'Part of the route, the shape of an unknown path, the operation name or a root field, in any case; at most ' +
        '256 characters.',
    }),
    requestId: t.string({ description: 'Complete id of the request or socket.' }),
    caller: t.field({ type: RequestCaller, description: 'Kind of the caller.' }),
    userId: t.int({ description: 'Id of the user, also if others act as the user.' }),
    apiKeyId: t.int({ description: 'Id of the API key that was used, also on behalf of users.' }),
    slowOnly: t.boolean({ description: 'Whether to select only slow requests.' }),
    from: t.field({ type: 'DateTime', description: 'Only requests of this time and later.' }),
    to: t.field({ type: 'DateTime', description: 'Only requests before this time.' }),
  }),
});

const RequestLogOrder = builder.enumType('RequestLogOrder', {
  description: 'Which requests a list of the log has first.',
  values: {
    NEWEST: { value: 'newest', description: 'The latest requests first.' },
    SLOWEST: { value: 'slowest', description: 'The requests that took longest first.' },
  } as const,
});

const RequestShape = builder.objectRef<ShapeRow>('RequestShape').implement({
  description: 'Logged requests that have transport, route, operation name and class in common.',
  fields: (t) => ({
    transport: t.expose('transport', { type: RequestTransport, description: 'How the requests were sent.' }),
    route: t.exposeString('route', { description: 'Pattern of the path, for example `/users/:id`.' }),
    operation: t.exposeString('operation', {
      nullable: true,
      description: 'Name that the client gave the GraphQL operation, or else its root fields; null over REST.',
    }),
    className: t.exposeString('className', { nullable: true, description: CLASS_NAME }),
    missingIndex: t.exposeStringList('missingIndex', { description: MISSING_INDEX }),
    requests: t.exposeInt('requests', {
      description: 'Number of stored requests; see `skippedCount` of `requestLog`.',
    }),
    averageMs: t.exposeFloat('averageMs', { description: 'Average duration in milliseconds.' }),
    maxMs: t.exposeFloat('maxMs', { description: 'Longest duration in milliseconds.' }),
    lastAt: t.expose('lastAt', { type: 'DateTime', description: 'When the latest of the requests ended.' }),
  }),
});

const PRECISION = 'at most a fifth too much; null if there were none. Streams and transfers of files do not count.';

const WHICH =
  'of the application in the header `Application`; with `none`, those without an application, for owners of all ' +
  'applications';

builder.queryField('requestShapes', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: DEVELOPER },
    type: [RequestShape],
    description:
      `Failed and slow requests ${WHICH}, by shape; at most ${MAX_SHAPES}. The most frequent ones first; with ` +
      '`slowOnly`, those that took the most time in total.',
    args: {
      hours: t.arg.int({
        required: true,
        defaultValue: 24,
        description: `Number of hours up to now, 1 to ${MAX_HOURS}. Requests are deleted after \`REQUEST_LOG_DAYS\`.`,
      }),
      filter: t.arg({ type: RequestLogFilter, description: 'Which requests to count. Default: all.' }),
    },
    resolve: (_root, args, { viewer, now }) => listRequestShapes(readableApplication(viewer), args, now()),
  }),
);

const RequestFiguresHour = builder.objectRef<RequestOutcomes & { hour: Date }>('RequestFiguresHour').implement({
  description: 'Requests of one hour.',
  fields: (t) => ({
    hour: t.expose('hour', { type: 'DateTime', description: 'Start of the hour (UTC).' }),
    succeeded: t.exposeInt('succeeded', { description: 'Number of requests with a status below 400.' }),
    refused: t.exposeInt('refused', { description: 'Number of requests with status 400 to 499.' }),
    failed: t.exposeInt('failed', { description: 'Number of requests with status 500 or above.' }),
  }),
});

const RequestFigures = builder.objectRef<FiguresShape>('RequestFigures').implement({
  description:
    'Number and duration of all requests, without those of the console. GraphQL errors count by the status that REST ' +
    'has for them.',
  fields: (t) => ({
    succeeded: t.exposeInt('succeeded', { description: 'Requests of the period with a status below 400.' }),
    refused: t.exposeInt('refused', { description: 'Requests of the period with status 400 to 499.' }),
    failed: t.exposeInt('failed', { description: 'Requests of the period with status 500 or above.' }),
    medianMs: t.exposeFloat('medianMs', {
      nullable: true,
      description: `Milliseconds within which half of the requests ended, ${PRECISION}`,
    }),
    p95Ms: t.exposeFloat('p95Ms', {
      nullable: true,
      description: `Milliseconds within which 95 % of the requests ended, ${PRECISION}`,
    }),
    hours: t.expose('hours', { type: [RequestFiguresHour], description: 'The requested hours, oldest first.' }),
  }),
});

builder.queryField('requestFigures', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: ALL },
    type: RequestFigures,
    description: `Number of requests by outcome, and their duration, ${WHICH}. Up to ten seconds late.`,
    args: {
      hours: t.arg.int({
        required: true,
        defaultValue: 24,
        description: `Number of hours, 1 to ${MAX_HOURS}. The last one is the current hour.`,
      }),
    },
    resolve: (_root, { hours }, { viewer, now }) => findRequestFigures(readableApplication(viewer), hours, now()),
  }),
);

builder.queryField('requestLog', (t) =>
  t.withAuth({ administrator: true }).connection(
    {
      administrator: { roles: DEVELOPER },
      type: LoggedRequest,
      description: `Failed and slow requests ${WHICH}. Newest first unless \`orderBy\` is given.`,
      args: {
        filter: t.arg({ type: RequestLogFilter, description: 'Which requests to return. Default: all.' }),
        orderBy: t.arg({ type: RequestLogOrder, description: 'Order of the list. Default: newest first.' }),
      },
      resolve: (_root, args, { viewer }) => listRequests(readableApplication(viewer), args),
    },
    {
      // Not part of Pothos' type of connections: `cursor` and `skippedCount`.
      fields: (t) => ({
        cursor: t.string({
          description:
            'Log position at the time of the page. Pass it as `since` to `requestLogged`; entries added in the ' +
            'meantime may appear twice.',
          resolve: (page) => (page as unknown as RequestLogConnection).cursor,
        }),
        skippedCount: t.int({
          description:
            'Number of requests that were not stored, because there were too many. Counted per hour: of the hours ' +
            'that `from` and `to` touch, regardless of other conditions.',
          resolve: (page) => (page as unknown as RequestLogConnection).skippedCount(),
        }),
      }),
    },
  ),
);

const RequestLogged = builder.objectRef<LoggedRequestRow>('RequestLogged').implement({
  description: 'A request was added to the request log. Each one is delivered once, in order.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Position in the log of the application. Pass it as `since` to resume after this request.',
      resolve: ({ id }) => String(id),
    }),
    request: t.field({ type: LoggedRequest, description: 'The added request.', resolve: (request) => request }),
  }),
});

builder.subscriptionField('requestLogged', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: DEVELOPER },
    type: RequestLogged,
    description: `Delivers failed and slow requests ${WHICH}, about a second after they end. Ends with the role.`,
    args: {
      filter: t.arg({ type: RequestLogFilter, description: 'Which requests to deliver. Default: all.' }),
      since: t.arg.string({
        description:
          'Cursor of `requestLog` or of an event: later requests that are still stored are delivered first. `0`: all ' +
          'that are stored. Default: only requests from now on.',
      }),
    },
    subscribe: (_root, args, context) => subscribeToRequests(readableApplication(context.viewer), args, context),
    resolve: ({ payload }) => payload,
  }),
);

/** @throws {ForbiddenError} no application, and the caller does not own all */
function readableApplication(viewer: AdministratorViewer): number {
  if (viewer.kind === 'key') return viewer.applicationId;
  requireOwnerOfAll(viewer);
  return NO_APPLICATION_ID;
}
