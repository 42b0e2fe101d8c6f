import { BadInputError, NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import {
  MAX_EVENT_TAGS,
  MAX_KEY_RECIPIENTS,
  MAX_NAME,
  MAX_PERIOD,
  MAX_RECIPIENTS,
  MIN_PERIOD,
  messageProblems,
  recipientProblems,
  tagProblems,
} from '../../../resolvers/events/rules.ts';
import { MAX_TAG } from '../../../resolvers/users/rules.ts';
import { asked, type Renaming, shown } from './from-graphql.ts';
import { pageOf, pageParameters } from './lists.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { closed, integerId, listOf, named, asked as objectAsked, oneOfTexts, type Schema, text } from './schemas.ts';

const event = closed({
  event: named(
    'Event',
    shown('Event', {
      id: 'id',
      event_type: 'eventType',
      message: 'message',
      date: 'date',
      period: 'period',
      name: 'name',
      occured_count: 'occuredCount',
      created_at: 'createdAt',
      updated_at: 'updatedAt',
      end_date: 'endDate',
      active: 'active',
      application_id: 'applicationId',
      user_id: 'userId',
      kind: { ...text, const: 'API' },
      environment: 'environment',
      tag_query: 'tagQuery',
      notification_channel: shown('Event', { name: 'channel' }),
    }),
  ),
});

/** Several with commas, or as an array. */
const list = (items: Schema, maxItems: number): Schema => ({ type: ['string', 'integer', 'array'], items, maxItems });
const tags = list({ ...text, minLength: 1, maxLength: MAX_TAG }, MAX_EVENT_TAGS);
const ids = list(integerId, MAX_KEY_RECIPIENTS);
const tooManyIds = Array<number>(MAX_RECIPIENTS + 1).fill(1);
const tooManyTags = Array<string>(MAX_EVENT_TAGS + 1).fill('a');

const changed: Record<string, Renaming> = {
  message: 'message',
  name: ['name', { ...text, maxLength: MAX_NAME }],
  date: 'date',
  period: ['period', { type: ['integer', 'string'], minimum: MIN_PERIOD, maximum: MAX_PERIOD }],
  end_date: 'endDate',
};

const given = asked(
  'CreateEventsInput',
  {
    notification_type: 'notificationType',
    environment: ['environment', oneOfTexts(['production', 'development'])],
    push_type: 'pushType',
    event_type: ['eventType', oneOfTexts(['one_shot', 'fixed_date', 'period_date'])],
    ...changed,
    user: asked('CreateEventsInput', {
      ids: ['userIds', ids],
      tags: [
        'tags',
        asked('EventTagsInput', {
          any: ['any', tags],
          all: ['all', tags],
          exclude: ['exclude', tags],
        }),
      ],
    }),
    external_user: asked('CreateEventsInput', { ids: ['externalUserIds', ids] }),
  },
  ['environment', 'message'],
);

const schedule = [
  new UnprocessableError('date should be in the future'),
  new UnprocessableError('end_date should not be before date'),
  new UnprocessableError(...messageProblems(null)),
];
const path = { id: integerId };
const missing = new NotFoundError();

export const eventDocs = {
  createEvents: {
    tag: 'Events',
    summary: 'Have a push sent',
    body: objectAsked({ event: given }, ['event']),
    status: 201,
    answer: { anyOf: [event, { ...listOf(event), description: 'Without `push_type`: one for each channel.' }] },
    errors: [
      ...schedule,
      new UnprocessableError('environment should be production or development'),
      new UnprocessableError('Unknown push_type: sms'),
      new UnprocessableError(...recipientProblems({}, MAX_RECIPIENTS)),
      new UnprocessableError(...recipientProblems({ userIds: tooManyIds }, MAX_RECIPIENTS)),
      new UnprocessableError(...tagProblems({ tags: { any: tooManyTags } })),
      new UnprocessableError(...tagProblems({ tags: { any: [''] } })),
    ],
    examples: [
      {
        summary: 'At once',
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
        summary: 'Every day, to every kind of device',
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
    summary: 'Events of the caller',
    query: pageParameters,
    answer: pageOf(event),
    errors: [new BadInputError('per_page should be between 1 and 100')],
    examples: [{ query: { page: 1, per_page: 25 } }],
  },
  findEvent: {
    tag: 'Events',
    summary: 'An event',
    path,
    answer: event,
    errors: [missing],
    examples: [{ path: { id: SAMPLES.event } }],
  },
  updateEvent: {
    tag: 'Events',
    summary: 'Change, cancel or repeat an event',
    path,
    body: objectAsked({ event: asked('UpdateEventInput', { active: 'active', ...changed }) }, ['event']),
    answer: event,
    errors: [missing, new BadInputError('No data for update was provided'), ...schedule],
    examples: [{ path: { id: SAMPLES.event }, body: { event: { active: false } } }],
  },
  deleteEvent: {
    tag: 'Events',
    summary: 'Delete an event',
    path,
    answer: 'nothing',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.event } }],
  },
  findEventStatus: {
    tag: 'Events',
    summary: 'How far an event has come',
    path,
    answer: closed({
      event: shown('EventStatus', {
        id: 'id',
        active: 'active',
        occured_count: 'occuredCount',
        last_sent_at: 'lastSentAt',
        recipients: 'recipients',
        delivered: 'delivered',
        failed: 'failed',
      }),
    }),
    errors: [missing],
    examples: [{ path: { id: SAMPLES.event } }],
  },
} satisfies Record<string, OperationDocs>;
