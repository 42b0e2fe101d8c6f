import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { BadInputError, type ServiceError, UnprocessableError } from '../lib/errors.ts';
import { readFlag, readIdList, readIntegerList, readText } from '../lib/parameter-values.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import { errorList, errorListOrId } from './errors.ts';
import { graphql } from './graphql.ts';
import { readIntegerId } from './http/integer-ids.ts';
import { pageWindow, presentPage } from './http/pagination.ts';
import { created, empty, ok, route } from './http/route.ts';
import { eventDocs } from './openapi/docs/events.ts';
import { eventShape, eventStatusShape } from './shapes/event.ts';

const CreateEvents = graphql(
  `mutation CreateEvents($input: CreateEventsInput!) { createEvents(input: $input) { ...EventFields } }`,
  [eventShape],
);

const ListEvents = graphql(
  `query ListEvents($first: Int!, $skip: Int!) {
    events(first: $first, skip: $skip) { totalCount edges { node { ...EventFields } } }
  }`,
  [eventShape],
);

const FindEvent = graphql(`query FindEvent($id: Int!) { event(id: $id) { ...EventFields } }`, [eventShape]);

const UpdateEvent = graphql(
  `mutation UpdateEvent($id: Int!, $input: UpdateEventInput!) {
    updateEvent(id: $id, input: $input) { ...EventFields }
  }`,
  [eventShape],
);

const DeleteEvent = graphql(`mutation DeleteEvent($id: Int!) { deleteEvent(id: $id) }`);

const FindEventStatus = graphql(`query FindEventStatus($id: Int!) { eventStatus(id: $id) { ...EventStatusFields } }`, [
  eventStatusShape,
]);

export const eventRoutes = [
  route({
    method: 'post',
    path: '/events',
    xml: 'events',
    document: CreateEvents,
    variables: ({ parameters }) => ({ input: eventInput(parameters.event) }),
    respond: ({ createEvents }, { parameters }) => {
      const events = createEvents.map(eventShape.present);
      return created(pushTypeOf(parameters.event) ? events[0] : events);
    },
    errors: errorListOrId,
    docs: eventDocs.createEvents,
  }),
  route({
    method: 'get',
    path: '/events',
    xml: 'events',
    refusesWrongTypes: true,
    document: ListEvents,
    variables: ({ parameters }) => windowOf(parameters),
    respond: ({ events }, { parameters }) => ok(presentPage(events, parameters, eventShape.present)),
    errors: listErrors,
    docs: eventDocs.listEvents,
  }),
  route({
    method: 'get',
    path: '/events/:id',
    document: FindEvent,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: ({ event }) => ok(eventShape.present(event)),
    errors: errorListOrId,
    docs: eventDocs.findEvent,
  }),
  route({
    method: 'put',
    path: '/events/:id',
    document: UpdateEvent,
    variables: ({ path, parameters }) => ({ id: readIntegerId(path.id!), input: changesOf(parameters.event) }),
    respond: ({ updateEvent }) => ok(eventShape.present(updateEvent)),
    errors: errorListOrId,
    docs: eventDocs.updateEvent,
  }),
  route({
    method: 'delete',
    path: '/events/:id',
    document: DeleteEvent,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: empty,
    errors: errorListOrId,
    docs: eventDocs.deleteEvent,
  }),
  route({
    method: 'get',
    path: '/events/:id/status',
    document: FindEventStatus,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: ({ eventStatus }) => ok(eventStatusShape.present(eventStatus)),
    errors: errorListOrId,
    docs: eventDocs.findEventStatus,
  }),
];

function eventInput(value: ParameterValue | undefined) {
  const event = objectOf(value);
  const user = objectOf(event.user);
  return {
    notificationType: readText(event.notification_type),
    environment: readText(event.environment),
    pushType: pushTypeOf(value),
    eventType: readText(event.event_type),
    name: readText(event.name),
    message: readText(event.message),
    date: event.date,
    period: event.period,
    endDate: event.end_date,
    userIds: readIntegerList(user.ids)?.filter(isDatabaseId),
    externalUserIds: readIntegerList(objectOf(event.external_user).ids),
    tags: isObject(user.tags) ? tagsOf(user.tags) : undefined,
    tagQuery: isObject(user.tags) ? JSON.stringify(user.tags) : undefined,
  };
}

function changesOf(value: ParameterValue | undefined) {
  const event = objectOf(value);
  return {
    active: readFlag(event.active),
    message: readText(event.message),
    name: readText(event.name),
    date: event.date,
    period: event.period,
    endDate: event.end_date,
  };
}

function tagsOf({ any, all, exclude }: Parameters) {
  return { any: readIdList(any), all: readIdList(all), exclude: readIdList(exclude) };
}

function pushTypeOf(event: ParameterValue | undefined): string | undefined {
  return readText(objectOf(event).push_type) || undefined;
}

function objectOf(value: ParameterValue | undefined): Parameters {
  return isObject(value) ? value : {};
}

/** Only for events, invalid paging is a 400. */
function windowOf(parameters: Parameters) {
  try {
    return pageWindow(parameters);
  } catch (error) {
    throw error instanceof UnprocessableError ? new BadInputError(error.message) : error;
  }
}

function listErrors(error: ServiceError): unknown {
  return error instanceof BadInputError ? {} : errorList(error);
}
