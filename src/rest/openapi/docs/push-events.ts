import { BadInputError, NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { problem } from '../../../lib/problems.ts';
import {
  MAX_EVENT_TAGS,
  MAX_RECIPIENTS,
  messageProblems,
  recipientProblems,
  tagProblems,
} from '../../../resolvers/push-events/rules.ts';
import { PAGE_SIZE } from '../../parameters/pages.ts';
import { eventShape } from '../../shapes/event.ts';
import { pageOf } from './lists.ts';
import { docsOf } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { listOf } from './schemas.ts';

const tooManyIds = Array<number>(MAX_RECIPIENTS + 1).fill(1);
const tooManyTags = Array<string>(MAX_EVENT_TAGS + 1).fill('a');

const schedule = [
  new UnprocessableError('DATE_PAST'),
  new UnprocessableError('END_BEFORE_DATE'),
  new UnprocessableError(...messageProblems(null)),
];
const missing = new NotFoundError();

export const pushEventDocs = docsOf('Events', {
  createEvents: {
    summary: 'Create a push event',
    description:
      'Schedules a push to users, once or repeatedly. Without `push_type`, one event for each of `apns` and ' +
      '`gcm` is created, and the response is an array. Events without subscribed recipients are accepted, too.',
    status: 201,
    answer: {
      anyOf: [
        eventShape.schema,
        { ...listOf(eventShape.schema), description: 'Without `push_type`: one event for each channel.' },
      ],
    },
    errors: [
      ...schedule,
      new UnprocessableError('ENVIRONMENT_INVALID'),
      new UnprocessableError(problem('PUSH_TYPE_UNKNOWN', { type: 'sms' })),
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
    summary: 'List push events',
    description:
      'Returns a page of the events that the caller created, newest first. An API key alone receives the events ' +
      'that were created with API keys alone. Invalid paging is answered with 400 and the body `{}`.',
    answer: pageOf(eventShape.schema),
    errors: [new BadInputError(PAGE_SIZE)],
    examples: [{ query: { page: 1, per_page: 25 } }],
  },
  findEvent: {
    summary: 'Get a push event',
    description:
      'Returns an event of the caller, or, for an API key alone, one that was created with an API key alone.',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.event } }],
  },
  updateEvent: {
    summary: 'Update, cancel or repeat an event',
    description:
      'Changes the given fields of an event. `active=false` cancels it. `active=true` sends an inactive event ' +
      'again.',
    errors: [missing, new BadInputError('NOTHING_TO_UPDATE'), ...schedule],
    examples: [{ path: { id: SAMPLES.event }, body: { event: { active: false } } }],
  },
  deleteEvent: {
    summary: 'Delete a push event',
    description: 'Deletes an event and drops its pending sends.',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.event } }],
  },
  findEventStatus: {
    summary: 'Get delivery counts of an event',
    description: 'Returns the delivery counts of the latest send of an event.',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.event } }],
  },
});
