import { BadInputError, NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import {
  MAX_EVENT_TAGS,
  MAX_KEY_RECIPIENTS,
  MAX_MESSAGE_BYTES,
  MAX_NAME,
  MAX_PERIOD,
  MAX_RECIPIENTS,
  MIN_PERIOD,
  messageProblems,
  recipientProblems,
  tagProblems,
} from '../../../resolvers/events/rules.ts';
import { MAX_TAG } from '../../../resolvers/users/rules.ts';
import { eventShape, eventStatusShape } from '../../shapes/event.ts';
import { inputOf, type Renaming } from './from-graphql.ts';
import { pageOf, pageParameters } from './lists.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { described, flag, integerId, listOf, moment, oneOfTexts, requestObject, type Schema, text } from './schemas.ts';

const list = (items: Schema, maxItems: number): Schema => ({ type: ['string', 'integer', 'array'], items, maxItems });
const tags = list({ ...text, minLength: 1, maxLength: MAX_TAG }, MAX_EVENT_TAGS);
const ids = list(integerId, MAX_KEY_RECIPIENTS);
const RECIPIENTS = `Up to ${MAX_RECIPIENTS} ids and external ids together, up to ${MAX_KEY_RECIPIENTS} for an API key alone.`;
const tooManyIds = Array<number>(MAX_RECIPIENTS + 1).fill(1);
const tooManyTags = Array<string>(MAX_EVENT_TAGS + 1).fill('a');

const changed: Record<string, Renaming> = {
  message: [
    'message',
    described(
      text,
      `Base64 of a text or of a JSON object, up to ${MAX_MESSAGE_BYTES} bytes. A text is sent as the alert. In an object, ` +
        '`message` is the alert; `ios_badge`, `ios_sound`, `ios_category`, `ios_content_available` and ' +
        '`ios_mutable_content` set the members of `aps`; other keys are passed on.',
    ),
  ],
  name: [
    'name',
    described(
      { ...text, maxLength: MAX_NAME },
      `Label of the event, and the subject of pushes by email; up to ${MAX_NAME} characters.`,
    ),
  ],
  date: [
    'date',
    described(
      moment,
      `Time of the first send. Omit to send immediately; required, and in the future, for \`fixed_date\`. ${moment.description}`,
    ),
  ],
  period: [
    'period',
    described(
      { type: ['integer', 'string'], minimum: MIN_PERIOD, maximum: MAX_PERIOD },
      `Seconds between sends, at least ${MIN_PERIOD}. Required for \`period_date\`.`,
    ),
  ],
  end_date: ['endDate', described(moment, `No send after this time. ${moment.description}`)],
};

const parameters = inputOf(
  'CreateEventsInput',
  {
    notification_type: ['notificationType', described(text, 'Always `push`, which is also the default.')],
    environment: [
      'environment',
      described(oneOfTexts(['production', 'development']), 'Only subscriptions of this environment receive the push.'),
    ],
    push_type: [
      'pushType',
      described(
        text,
        'Channel: `apns`, `apns_voip`, `gcm`, `web` or, for an API key alone, `email`. Omit for `apns` and `gcm`.',
      ),
    ],
    event_type: [
      'eventType',
      described(
        oneOfTexts(['one_shot', 'fixed_date', 'period_date']),
        '`one_shot`: sent once, immediately if `date` is missing or past. `fixed_date`: sent once at `date`. ' +
          '`period_date`: sent at `date` and then every `period` seconds. Default: `period_date` with `period`, else ' +
          '`one_shot`.',
      ),
    ],
    ...changed,
    user: described(
      inputOf('CreateEventsInput', {
        ids: ['userIds', described(ids, `Ids of users. ${RECIPIENTS}`)],
        tags: [
          'tags',
          described(
            inputOf('EventTagsInput', {
              any: ['any', described(tags, 'Users with at least one of these tags.')],
              all: ['all', described(tags, 'Users with all of these tags.')],
              exclude: ['exclude', described(tags, 'Users with one of these tags never receive the push.')],
            }),
            `Users by tags at the time of a send, up to ${MAX_EVENT_TAGS} tags in all lists together.`,
          ),
        ],
      }),
      'Recipients. At least one of `user.ids`, `user.tags` and `external_user.ids` is required.',
    ),
    external_user: described(
      inputOf('CreateEventsInput', {
        ids: ['externalUserIds', described(ids, `Ids of users in an external system. ${RECIPIENTS}`)],
      }),
      'Recipients by ids of an external system.',
    ),
  },
  ['environment', 'message'],
);

const schedule = [
  new UnprocessableError('date should be in the future'),
  new UnprocessableError('endDate should not be before date'),
  new UnprocessableError(...messageProblems(null)),
];
const path = { id: described(integerId, 'Id of the event.') };
const missing = new NotFoundError();

export const eventDocs = {
  createEvents: {
    tag: 'Events',
    summary: 'Create a push event',
    description:
      'Schedules a push to users, once or repeatedly. Without `push_type`, one event for each of `apns` and ' +
      '`gcm` is created, and the response is an array. Events without subscribed recipients are accepted, too.',
    body: requestObject({ event: described(parameters, 'The event.') }, ['event']),
    status: 201,
    answer: {
      anyOf: [
        eventShape.schema,
        { ...listOf(eventShape.schema), description: 'Without `push_type`: one event for each channel.' },
      ],
    },
    errors: [
      ...schedule,
      new UnprocessableError('environment should be production or development'),
      new UnprocessableError('Unknown pushType: sms'),
      new UnprocessableError(...recipientProblems({}, MAX_RECIPIENTS)),
      new UnprocessableError(...recipientProblems({ userIds: tooManyIds }, MAX_RECIPIENTS)),
      new UnprocessableError(...tagProblems({ tags: { any: tooManyTags } })),
      new UnprocessableError(...tagProblems({ tags: { any: [''] } })),
    ],
    examples: [
      {
        summary: 'Send immediately',
        body: {
          event: {
            notification_type: 'push',
            environment: 'development',
            push_type: 'gcm',
            message: 'aGVsbG8gd29ybGQh',
            user: { ids: [SAMPLES.friend], tags: { any: ['reader', 'chess'] } },
          },
        },
      },
      {
        summary: 'Send daily, on all default channels',
        body: {
          event: {
            environment: 'development',
            event_type: 'period_date',
            period: 86400,
            message: 'aGVsbG8gd29ybGQh',
            user: { ids: [SAMPLES.friend] },
          },
        },
      },
    ],
  },
  listEvents: {
    tag: 'Events',
    summary: 'List push events',
    description:
      'Returns a page of the events that the caller created, newest first. An API key alone receives the events ' +
      'that were created with API keys alone. Invalid paging is answered with 400 and the body `{}`.',
    query: pageParameters,
    answer: pageOf(eventShape.schema),
    errors: [new BadInputError('per_page should be between 1 and 100')],
    examples: [{ query: { page: 1, per_page: 25 } }],
  },
  findEvent: {
    tag: 'Events',
    summary: 'Get a push event',
    description:
      'Returns an event of the caller, or, for an API key alone, one that was created with an API key alone.',
    path,
    answer: eventShape.schema,
    errors: [missing],
    examples: [{ path: { id: SAMPLES.event } }],
  },
  updateEvent: {
    tag: 'Events',
    summary: 'Update, cancel or repeat an event',
    description:
      'Changes the given fields of an event. `active=false` cancels it. `active=true` sends an inactive event ' +
      'again.',
    path,
    body: requestObject(
      {
        event: described(
          inputOf('UpdateEventInput', {
            active: [
              'active',
              described(
                flag,
                '0 cancels the event; 1 sends an inactive event again, immediately or at a future `date`.',
              ),
            ],
            ...changed,
          }),
          'The fields to change.',
        ),
      },
      ['event'],
    ),
    answer: eventShape.schema,
    errors: [missing, new BadInputError('No data for update was provided'), ...schedule],
    examples: [{ path: { id: SAMPLES.event }, body: { event: { active: false } } }],
  },
  deleteEvent: {
    tag: 'Events',
    summary: 'Delete a push event',
    description: 'Deletes an event and drops its pending sends.',
    path,
    answer: 'nothing',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.event } }],
  },
  findEventStatus: {
    tag: 'Events',
    summary: 'Get delivery counts of an event',
    description: 'Returns the delivery counts of the latest send of an event.',
    path,
    answer: eventStatusShape.schema,
    errors: [missing],
    examples: [{ path: { id: SAMPLES.event } }],
  },
} satisfies Record<string, OperationDocs>;
