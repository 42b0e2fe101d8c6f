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
import { eventShape, eventStatusShape } from '../../shapes/event.ts';
import { inputOf, type Renaming } from './from-graphql.ts';
import { pageOf, pageParameters } from './lists.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { integerId, listOf, oneOfTexts, requestObject, type Schema, text } from './schemas.ts';

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

const parameters = inputOf(
  'CreateEventsInput',
  {
    notification_type: 'notificationType',
    environment: ['environment', oneOfTexts(['production', 'development'])],
    push_type: 'pushType',
    event_type: ['eventType', oneOfTexts(['one_shot', 'fixed_date', 'period_date'])],
    ...changed,
    user: inputOf('CreateEventsInput', {
      ids: ['userIds', ids],
      tags: [
        'tags',
        inputOf('EventTagsInput', {
          any: ['any', tags],
          all: ['all', tags],
          exclude: ['exclude', tags],
        }),
      ],
    }),
    external_user: inputOf('CreateEventsInput', { ids: ['externalUserIds', ids] }),
  },
  ['environment', 'message'],
);

const schedule = [
  new UnprocessableError('date should be in the future'),
  new UnprocessableError('endDate should not be before date'),
  new UnprocessableError(...messageProblems(null)),
];
const path = { id: integerId };
const missing = new NotFoundError();

export const eventDocs = {
  createEvents: {
    tag: 'Events',
    summary: 'Have a push sent',
    body: requestObject({ event: parameters }, ['event']),
    status: 201,
    answer: {
      anyOf: [
        eventShape.schema,
        { ...listOf(eventShape.schema), description: 'Without `push_type`: one for each channel.' },
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
    answer: pageOf(eventShape.schema),
    errors: [new BadInputError('per_page should be between 1 and 100')],
    examples: [{ query: { page: 1, per_page: 25 } }],
  },
  findEvent: {
    tag: 'Events',
    summary: 'An event',
    path,
    answer: eventShape.schema,
    errors: [missing],
    examples: [{ path: { id: SAMPLES.event } }],
  },
  updateEvent: {
    tag: 'Events',
    summary: 'Change, cancel or repeat an event',
    path,
    body: requestObject({ event: inputOf('UpdateEventInput', { active: 'active', ...changed }) }, ['event']),
    answer: eventShape.schema,
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
    answer: eventStatusShape.schema,
    errors: [missing],
    examples: [{ path: { id: SAMPLES.event } }],
  },
} satisfies Record<string, OperationDocs>;
