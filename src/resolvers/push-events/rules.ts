import type { PushChannel } from '../../generated/prisma/enums.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { readInteger, readTimestamp } from '../../lib/casts.ts';
import type { JsonValue } from '../../lib/json.ts';
import { type Problem, problem, when } from '../../lib/problems.ts';
import { SECOND } from '../../lib/time.ts';
import { DEFAULT_CHANNELS, isPushEnvironment, type PushEnvironment } from '../pushes/channels.ts';
import { MAX_TAG } from '../users/rules.ts';

export type EventType = 'one_shot' | 'fixed_date' | 'period_date';

/** As the client sent it: null clears, undefined changes nothing. */
export interface ScheduleInput {
  date?: unknown;
  /** Seconds. */
  period?: unknown;
  endDate?: unknown;
}

export interface EventInput extends ScheduleInput {
  notificationType?: string | null;
  environment?: string | null;
  pushType?: string | null;
  eventType?: string | null;
  name?: string | null;
  message?: string | null;
  userIds?: readonly number[] | null;
  externalUserIds?: readonly number[] | null;
  tags?: TagsInput | null;
  /** The tags as the client wrote them; default: the JSON of `tags`. */
  tagQuery?: string | null;
}

export interface TagsInput {
  any?: readonly string[] | null;
  all?: readonly string[] | null;
  exclude?: readonly string[] | null;
}

export interface Schedule {
  eventType: EventType;
  date: Date | null;
  period: number | null;
  endDate: Date | null;
}

export interface EventLimits {
  channels: readonly PushChannel[];
  maxRecipients: number;
}

export interface CheckedEvent {
  schedule: Schedule;
  environment: PushEnvironment;
  channels: readonly PushChannel[];
}

export const MAX_MESSAGE_BYTES = 8192;
export const MAX_NAME = 255;
export const MAX_RECIPIENTS = 1_000;
export const MAX_KEY_RECIPIENTS = 10_000;
export const MAX_EVENT_TAGS = 100;
/** As JSON: enough for the longest tags at 4 bytes per character. */
export const MAX_TAG_QUERY_BYTES = 32_768;
export const MIN_PERIOD = 60;
/** Seconds; the largest 32-bit integer. */
export const MAX_PERIOD = 2_147_483_647;

export function maxRecipientsOf(viewer: ActingViewer): number {
  return viewer.kind === 'key' ? MAX_KEY_RECIPIENTS : MAX_RECIPIENTS;
}

export function checkEvent(
  input: EventInput,
  { channels, maxRecipients }: EventLimits,
  now: Date,
): { problems: Problem[] } | CheckedEvent {
  const { schedule, problems: scheduleProblems } = checkSchedule(eventTypeOf(input), input, now, true);
  const { environment, pushType } = input;
  const problems = [
    ...when((input.notificationType ?? 'push') !== 'push', 'NOTIFICATION_TYPE_INVALID'),
    ...when(!isPushEnvironment(environment), 'ENVIRONMENT_INVALID'),
    ...(!pushType || channels.includes(pushType as PushChannel)
      ? []
      : [problem('PUSH_TYPE_UNKNOWN', { type: pushType })]),
    ...scheduleProblems,
    ...nameProblems(input.name),
    ...messageProblems(input.message),
    ...recipientProblems(input, maxRecipients),
    ...tagProblems(input),
  ];
  if (problems.length > 0) return { problems };
  return {
    schedule,
    environment: environment as PushEnvironment,
    channels: pushType ? [pushType as PushChannel] : DEFAULT_CHANNELS,
  };
}

/** @param isNew false if the date is unchanged and may therefore be in the past */
export function checkSchedule(
  type: string | null,
  { date: givenDate, period: givenPeriod, endDate: givenEnd }: ScheduleInput,
  now: Date,
  isNew: boolean,
): { schedule: Schedule; problems: Problem[] } {
  const problems: Problem[] = [];
  const date = dateOf(givenDate);
  const endDate = dateOf(givenEnd);
  const period = isBlank(givenPeriod) ? null : readInteger(givenPeriod as JsonValue);
  const isKnown = type === 'one_shot' || type === 'fixed_date' || type === 'period_date';
  if (!isKnown) problems.push(problem('EVENT_TYPE_UNKNOWN', { type: String(type) }));
  if (date === undefined) problems.push('DATE_INVALID');
  else if (type === 'fixed_date' && isNew && (date === null || date <= now)) problems.push('DATE_PAST');
  if (period === undefined || (period !== null && (period < MIN_PERIOD || period > MAX_PERIOD))) {
    problems.push(problem('OUT_OF_RANGE', { name: 'period', min: MIN_PERIOD, max: MAX_PERIOD }));
  } else if (type === 'period_date' && period === null) {
    problems.push('PERIOD_REQUIRED');
  }
  if (endDate === undefined) problems.push('END_DATE_INVALID');
  else if (endDate && date !== undefined && endDate < (date ?? now)) {
    problems.push('END_BEFORE_DATE');
  }
  // Repetitions are counted from a date, so repeated events always have one.
  const first = type === 'period_date' ? (date ?? now) : (date ?? null);
  const schedule = {
    eventType: (isKnown ? type : 'one_shot') as EventType,
    date: first,
    period: period ?? null,
    endDate: endDate ?? null,
  };
  return { schedule, problems };
}

export function messageProblems(message: string | null | undefined): Problem[] {
  if (!message?.trim()) return ['EVENT_MESSAGE_REQUIRED'];
  return Buffer.byteLength(message) > MAX_MESSAGE_BYTES
    ? [problem('EVENT_MESSAGE_TOO_LONG', { max: MAX_MESSAGE_BYTES })]
    : [];
}

export function nameProblems(name: string | null | undefined): Problem[] {
  return isLonger(name ?? '', MAX_NAME) ? [problem('EVENT_NAME_TOO_LONG', { max: MAX_NAME })] : [];
}

/** First send after creation, a change or activation; null if never. */
export function firstDue({ eventType, date, period, endDate }: Schedule, now: Date): Date | null {
  if (eventType !== 'period_date') return date && date > now ? date : now;
  const next = date! >= now ? date! : stepAfter(date!, period!, new Date(now.getTime() - 1));
  return endDate && next > endDate ? null : next;
}

/** Next send after a due time; repetitions missed in the meantime are not sent again. */
export function nextDue({ eventType, date, period, endDate }: Schedule, now: Date): Date | null {
  if (eventType !== 'period_date') return null;
  const next = stepAfter(date!, period!, now);
  return endDate && next > endDate ? null : next;
}

function stepAfter(date: Date, periodSeconds: number, moment: Date): Date {
  const period = periodSeconds * SECOND;
  const steps = Math.max(Math.floor((moment.getTime() - date.getTime()) / period) + 1, 0);
  return new Date(date.getTime() + steps * period);
}

function eventTypeOf({ eventType, period }: EventInput): string {
  return eventType || (isBlank(period) ? 'one_shot' : 'period_date');
}

export function recipientProblems({ userIds, externalUserIds, tags }: EventInput, max: number): Problem[] {
  const ids = (userIds?.length ?? 0) + (externalUserIds?.length ?? 0);
  if (ids > max) return [problem('TOO_MANY_RECIPIENTS', { max })];
  return ids > 0 || [tags?.any, tags?.all].some((list) => (list?.length ?? 0) > 0) ? [] : ['RECIPIENTS_REQUIRED'];
}

export function tagProblems({ tags, tagQuery }: EventInput): Problem[] {
  const lists = [tags?.any, tags?.all, tags?.exclude].map((list) => list ?? []);
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  const isInvalid = (tag: string) => tag.trim() === '' || isLonger(tag, MAX_TAG);
  return [
    ...when(count > MAX_EVENT_TAGS, problem('TOO_MANY_EVENT_TAGS', { max: MAX_EVENT_TAGS })),
    ...when(count <= MAX_EVENT_TAGS && lists.some((list) => list.some(isInvalid)), 'EVENT_TAGS_INVALID'),
    ...when(
      Buffer.byteLength(tagQuery ?? '') > MAX_TAG_QUERY_BYTES,
      problem('TAG_QUERY_TOO_LONG', { max: MAX_TAG_QUERY_BYTES }),
    ),
  ];
}

/** Does not split very long texts. */
function isLonger(text: string, max: number): boolean {
  return text.length > 2 * max || [...text].length > max;
}

/** Null if blank, undefined if invalid; truncated to whole seconds. */
function dateOf(value: unknown): Date | null | undefined {
  if (isBlank(value)) return null;
  const milliseconds = readTimestamp(value as JsonValue);
  return milliseconds === undefined ? undefined : new Date(Math.floor(milliseconds / SECOND) * SECOND);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
