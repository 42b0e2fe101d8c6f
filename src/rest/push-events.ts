import type { Parameters } from '../lib/bracket-keys.ts';
import { readIntegerList, readText } from '../lib/casts.ts';
import { BadInputError, type ServiceError, UnprocessableError } from '../lib/errors.ts';
import { isObject, type OptionalJson } from '../lib/json.ts';
import { problem } from '../lib/problems.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import {
  MAX_EVENT_TAGS,
  MAX_KEY_RECIPIENTS,
  MAX_MESSAGE_BYTES,
  MAX_NAME,
  MAX_PERIOD,
  MAX_RECIPIENTS,
  MIN_PERIOD,
} from '../resolvers/push-events/rules.ts';
import { MAX_TAG } from '../resolvers/users/rules.ts';
import { errorList, errorListOrId } from './errors.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { pushEventDocs } from './openapi/docs/push-events.ts';
import * as schemas from './openapi/docs/schemas.ts';
import { described, moment, oneOfTexts, type Schema } from './openapi/docs/schemas.ts';
import { page, presentPage } from './parameters/pages.ts';
import {
  flag,
  integerId,
  nonEmptyText,
  reader,
  refusedAs,
  shownAs,
  text,
  texts,
  unchecked,
} from './parameters/readers.ts';
import { asInput, limited, members, type ParameterSource, parameters, required, wrapped } from './parameters/table.ts';
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

const EVENT_ID = 'Id of the event.';
const RECIPIENTS = `Up to ${MAX_RECIPIENTS} ids and external ids together, up to ${MAX_KEY_RECIPIENTS} for an API key alone.`;

const list = (items: Schema, maxItems: number): Schema => ({ type: ['string', 'integer', 'array'], items, maxItems });
const tags = shownAs(texts, list({ ...text.schema, minLength: 1, maxLength: MAX_TAG }, MAX_EVENT_TAGS));
const ids = list(schemas.integerId, MAX_KEY_RECIPIENTS);

const contents = {
  message: [
    'message',
    refusedAs(text, () => 'EVENT_MESSAGE_REQUIRED'),
    `Base64 of a text or of a JSON object, up to ${MAX_MESSAGE_BYTES} bytes. A text is sent as the alert. In an object, ` +
      '`message` is the alert; `ios_badge`, `ios_sound`, `ios_category`, `ios_content_available` and ' +
      '`ios_mutable_content` set the members of `aps`; other keys are passed on.',
  ],
  name: [
    'name',
    limited(text, { maxLength: MAX_NAME }),
    `Label of the event, and the subject of pushes by email; up to ${MAX_NAME} characters.`,
  ],
  date: [
    'date',
    refusedAs(shownAs(unchecked, moment), () => 'DATE_INVALID'),
    `Time of the first send. Omit to send immediately; required, and in the future, for \`fixed_date\`. ${moment.description}`,
  ],
  period: [
    'period',
    refusedAs(shownAs(unchecked, { type: ['integer', 'string'], minimum: MIN_PERIOD, maximum: MAX_PERIOD }), () =>
      problem('OUT_OF_RANGE', { name: 'period', min: MIN_PERIOD, max: MAX_PERIOD }),
    ),
    `Seconds between sends, at least ${MIN_PERIOD}. Required for \`period_date\`.`,
  ],
  end_date: [
    'endDate',
    refusedAs(shownAs(unchecked, moment), () => 'END_DATE_INVALID'),
    `No send after this time. ${moment.description}`,
  ],
} as const;

const tagLists = parameters('EventTagsInput', {
  any: ['any', tags, 'Users with at least one of these tags.'],
  all: ['all', tags, 'Users with all of these tags.'],
  exclude: ['exclude', tags, 'Users with one of these tags never receive the push.'],
});

const newEvent = parameters('CreateEventsInput', {
  notification_type: [
    'notificationType',
    refusedAs(text, () => 'NOTIFICATION_TYPE_INVALID'),
    'Always `push`, which is also the default.',
  ],
  environment: [
    'environment',
    required(refusedAs(shownAs(text, oneOfTexts(['production', 'development'])), () => 'ENVIRONMENT_INVALID')),
    'Only subscriptions of this environment receive the push.',
  ],
  push_type: [
    'pushType',
    refusedAs(nonEmptyText, (value) => problem('PUSH_TYPE_UNKNOWN', { type: value })),
    'Channel: `apns`, `apns_voip`, `gcm`, `web` or, for an API key alone, `email`. Omit for `apns` and `gcm`.',
  ],
  event_type: [
    'eventType',
    refusedAs(shownAs(text, oneOfTexts(['one_shot', 'fixed_date', 'period_date'])), (value) =>
      problem('EVENT_TYPE_UNKNOWN', { type: value }),
    ),
    '`one_shot`: sent once, immediately if `date` is missing or past. `fixed_date`: sent once at `date`. ' +
      '`period_date`: sent at `date` and then every `period` seconds. Default: `period_date` with `period`, else ' +
      '`one_shot`.',
  ],
  ...contents,
  message: ['message', required(contents.message[1]), contents.message[2]],
  user: members(
    parameters('CreateEventsInput', {
      ids: [
        'userIds',
        reader(ids, (value) => readIntegerList(value)?.filter(isDatabaseId)),
        `Ids of users. ${RECIPIENTS}`,
      ],
      tags: {
        variables: (value, source) => ({
          tags: isObject(value) ? tagLists.read(value, source) : undefined,
          tagQuery: isObject(value) ? JSON.stringify(value) : undefined,
        }),
        schema: described(
          tagLists.schema,
          `Users by tags at the time of a send, up to ${MAX_EVENT_TAGS} tags in all lists together.`,
        ),
      },
    }),
    'Recipients. At least one of `user.ids`, `user.tags` and `external_user.ids` is required.',
  ),
  external_user: members(
    parameters('CreateEventsInput', {
      ids: ['externalUserIds', reader(ids, readIntegerList), `Ids of users in an external system. ${RECIPIENTS}`],
    }),
    'Recipients by ids of an external system.',
  ),
});

const changedEvent = parameters('UpdateEventInput', {
  active: ['active', flag, '0 cancels the event; 1 sends an inactive event again, immediately or at a future `date`.'],
  ...contents,
});

export const pushEventRoutes = [
  route({
    method: 'post',
    path: '/events',
    xml: 'events',
    document: CreateEvents,
    parameters: asInput(wrapped('event', newEvent, 'The event.')),
    present: ({ createEvents }, { parameters }) => {
      const events = createEvents.map(eventShape.present);
      return pushTypeOf(parameters.event) ? events[0] : events;
    },
    errors: errorListOrId,
    docs: pushEventDocs.createEvents,
  }),
  route({
    method: 'get',
    path: '/events',
    xml: 'events',
    checksTypes: true,
    document: ListEvents,
    parameters: { ...page, read: windowOf },
    present: ({ events }, { parameters }) => presentPage(events, parameters, eventShape.present),
    errors: listErrors,
    docs: pushEventDocs.listEvents,
  }),
  route({
    method: 'get',
    path: '/events/:id',
    document: FindEvent,
    inPath: { id: ['id', integerId, EVENT_ID] },
    shape: eventShape,
    errors: errorListOrId,
    docs: pushEventDocs.findEvent,
  }),
  route({
    method: 'put',
    path: '/events/:id',
    document: UpdateEvent,
    inPath: { id: ['id', integerId, EVENT_ID] },
    parameters: asInput(wrapped('event', changedEvent, 'The fields to change.')),
    shape: eventShape,
    errors: errorListOrId,
    docs: pushEventDocs.updateEvent,
  }),
  route({
    method: 'delete',
    path: '/events/:id',
    document: DeleteEvent,
    inPath: { id: ['id', integerId, EVENT_ID] },
    errors: errorListOrId,
    docs: pushEventDocs.deleteEvent,
  }),
  route({
    method: 'get',
    path: '/events/:id/status',
    document: FindEventStatus,
    inPath: { id: ['id', integerId, EVENT_ID] },
    shape: eventStatusShape,
    errors: errorListOrId,
    docs: pushEventDocs.findEventStatus,
  }),
];

function pushTypeOf(event: OptionalJson): string | undefined {
  return isObject(event) ? readText(event.push_type) || undefined : undefined;
}

/** Only for events, invalid paging is a 400. */
function windowOf(parameters: Parameters, source: ParameterSource) {
  try {
    return page.read(parameters, source);
  } catch (error) {
    throw error instanceof UnprocessableError ? new BadInputError([...error.problems]) : error;
  }
}

function listErrors(error: ServiceError): unknown {
  return error instanceof BadInputError ? {} : errorList(error);
}
