import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { BadInputError, type ServiceError, UnprocessableError } from '../lib/errors.ts';
import { readFlag, readIdList, readIntegerList, readText } from '../lib/parameter-values.ts';
import { isoSeconds } from '../lib/time.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import { errorList, errorListOrId } from './errors.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import { readIntegerId } from './http/integer-ids.ts';
import { itemsBefore, readPage } from './http/pagination.ts';
import { created, empty, ok, route } from './http/route.ts';
import { eventDocs } from './openapi/docs/events.ts';

const EventFields = graphql(`fragment EventFields on Event {
  id eventType message date period name occuredCount createdAt updatedAt endDate active applicationId userId
  environment tagQuery channel
}`);

const CreateEvents = graphql(
  `mutation CreateEvents($input: CreateEventsInput!) { createEvents(input: $input) { ...EventFields } }`,
  [EventFields],
);

const ListEvents = graphql(
  `query ListEvents($first: Int!, $skip: Int!) {
    events(first: $first, skip: $skip) { totalCount edges { node { ...EventFields } } }
  }`,
  [EventFields],
);

const FindEvent = graphql(`query FindEvent($id: Int!) { event(id: $id) { ...EventFields } }`, [EventFields]);

const UpdateEvent = graphql(
  `mutation UpdateEvent($id: Int!, $input: UpdateEventInput!) {
    updateEvent(id: $id, input: $input) { ...EventFields }
  }`,
  [EventFields],
);

const DeleteEvent = graphql(`mutation DeleteEvent($id: Int!) { deleteEvent(id: $id) }`);

const FindEventStatus = graphql(`query FindEventStatus($id: Int!) {
  eventStatus(id: $id) { id active occuredCount lastSentAt recipients delivered failed }
}`);

export const eventRoutes = [
  route({
    method: 'post',
    path: '/events',
    xml: 'events',
    document: CreateEvents,
    variables: ({ given }) => ({ input: eventInput(given.event) }),
    // A universal event answers with the list of what it has become.
    respond: ({ createEvents }, { given }) => {
      const events = createEvents.map(presentEvent);
      return created(pushTypeOf(given.event) ? events[0] : events);
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
    variables: ({ given }) => {
      const page = pageOf(given);
      return { first: page.perPage, skip: itemsBefore(page) };
    },
    respond: ({ events: { totalCount, edges } }, { given }) => {
      const { page, perPage } = readPage(given);
      const items = edges?.flatMap((edge) => (edge ? [presentEvent(edge.node)] : [])) ?? [];
      return ok({ current_page: page, per_page: perPage, total_entries: totalCount, items });
    },
    errors: listErrors,
    docs: eventDocs.listEvents,
  }),
  route({
    method: 'get',
    path: '/events/:id',
    document: FindEvent,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: ({ event }) => ok(presentEvent(event)),
    errors: errorListOrId,
    docs: eventDocs.findEvent,
  }),
  route({
    method: 'put',
    path: '/events/:id',
    document: UpdateEvent,
    variables: ({ path, given }) => ({ id: readIntegerId(path.id!), input: changesOf(given.event) }),
    respond: ({ updateEvent }) => ok(presentEvent(updateEvent)),
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
    respond: ({ eventStatus: { id, active, occuredCount, lastSentAt, ...counts } }) =>
      ok({ event: { id, active, occured_count: occuredCount, last_sent_at: lastSentAt, ...counts } }),
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

/** Of this list alone a wrong page is a malformed request. */
function pageOf(given: Parameters) {
  try {
    return readPage(given);
  } catch (error) {
    throw error instanceof UnprocessableError ? new BadInputError(error.message) : error;
  }
}

function listErrors(error: ServiceError): unknown {
  return error instanceof BadInputError ? {} : errorList(error);
}

function presentEvent(masked: FragmentOf<typeof EventFields>) {
  const event = readFragment(EventFields, masked);
  return {
    event: {
      id: event.id,
      event_type: event.eventType,
      message: event.message,
      date: event.date,
      period: event.period,
      name: event.name,
      occured_count: event.occuredCount,
      created_at: isoSeconds(event.createdAt),
      updated_at: isoSeconds(event.updatedAt),
      end_date: event.endDate,
      active: event.active,
      application_id: event.applicationId,
      user_id: event.userId,
      kind: 'API',
      environment: event.environment,
      tag_query: event.tagQuery,
      notification_channel: { name: event.channel },
    },
  };
}
