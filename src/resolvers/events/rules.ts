import type { PushChannel } from '../../generated/prisma/enums.ts';
import type { ActingViewer } from '../../lib/access.ts';
import type { ParameterValue } from '../../lib/bracket-keys.ts';
import { readInteger, readTimestamp } from '../../lib/parameter-values.ts';
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
): { problems: string[] } | CheckedEvent {
  const { schedule, problems: scheduleProblems } = checkSchedule(eventTypeOf(input), input, now, true);
  const { environment, pushType } = input;
  const problems = [
    ...(input.notificationType == null || input.notificationType === 'push' ? [] : ['notificationType should be push']),
    ...(isPushEnvironment(environment) ? [] : ['environment should be production or development']),
    ...(!pushType || channels.includes(pushType as PushChannel) ? [] : [`Unknown pushType: ${pushType}`]),
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
): { schedule: Schedule; problems: string[] } {
  const problems: string[] = [];
  const date = dateOf(givenDate);
  const endDate = dateOf(givenEnd);
  const period = isBlank(givenPeriod) ? null : readInteger(givenPeriod as ParameterValue);
  const isKnown = type === 'one_shot' || type === 'fixed_date' || type === 'period_date';
  if (!isKnown) problems.push(`Unknown eventType: ${type}`);
  if (date === undefined) problems.push('date is not valid');
  else if (type === 'fixed_date' && isNew && (date === null || date <= now))
    problems.push('date should be in the future');
  if (period === undefined || (period !== null && (period < MIN_PERIOD || period > MAX_PERIOD))) {
    problems.push(`period should be between ${MIN_PERIOD} and ${MAX_PERIOD}`);
  } else if (type === 'period_date' && period === null) {
    problems.push('period is required for period_date');
  }
  if (endDate === undefined) problems.push('endDate is not valid');
  else if (endDate && date !== undefined && endDate < (date ?? now)) {
    problems.push('endDate should not be before date');
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

export function messageProblems(message: string | null | undefined): string[] {
  if (!message?.trim()) return ['message is required'];
  return Buffer.byteLength(message) > MAX_MESSAGE_BYTES
    ? [`message is too long (maximum is ${MAX_MESSAGE_BYTES} bytes)`]
    : [];
}

export function nameProblems(name: string | null | undefined): string[] {
  return isLonger(name ?? '', MAX_NAME) ? [`name is too long (maximum is ${MAX_NAME} characters)`] : [];
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

export function recipientProblems({ userIds, externalUserIds, tags }: EventInput, max: number): string[] {
  const ids = (userIds?.length ?? 0) + (externalUserIds?.length ?? 0);
  if (ids > max) return [`Recipients are too many (maximum is ${max})`];
  return ids > 0 || [tags?.any, tags?.all].some((list) => (list?.length ?? 0) > 0) ? [] : ['Recipients are required'];
}

export function tagProblems({ tags, tagQuery }: EventInput): string[] {
  const lists = [tags?.any, tags?.all, tags?.exclude].map((list) => list ?? []);
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  const isInvalid = (tag: string) => tag.trim() === '' || isLonger(tag, MAX_TAG);
  return [
    ...(count > MAX_EVENT_TAGS ? [`Tags are too many (maximum is ${MAX_EVENT_TAGS})`] : []),
    ...(count <= MAX_EVENT_TAGS && lists.some((list) => list.some(isInvalid)) ? ['Tags are invalid'] : []),
    ...(Buffer.byteLength(tagQuery ?? '') > MAX_TAG_QUERY_BYTES
      ? [`tag_query is too long (maximum is ${MAX_TAG_QUERY_BYTES} bytes)`]
      : []),
  ];
}

/** Does not split very long texts. */
function isLonger(text: string, max: number): boolean {
  return text.length > 2 * max || [...text].length > max;
}

/** Null if blank, undefined if invalid; truncated to whole seconds. */
function dateOf(value: unknown): Date | null | undefined {
  if (isBlank(value)) return null;
  const milliseconds = readTimestamp(value as ParameterValue);
  return milliseconds === undefined ? undefined : new Date(Math.floor(milliseconds / SECOND) * SECOND);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
