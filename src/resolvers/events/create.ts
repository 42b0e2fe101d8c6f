import type { ActingContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { Event } from '../../generated/prisma/client.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { PUSH_CHANNELS, type PushChannel } from '../pushes/channels.ts';
import { storedMessage } from '../pushes/payloads.ts';
import { ownerOf } from './own.ts';
import { checkEvent, type EventInput, firstDue } from './rules.ts';

export interface NewEvent extends EventInput {
  /** The tags as they were asked for; left out, the JSON of `tags`. */
  tagQuery?: string | null;
}

/**
 * Records a push for the recipients' devices, and has it sent when it is due (gaps §11).
 * @returns the event, or without a push type one for each of two channels
 * @throws {UnprocessableError} all that is wrong with it
 */
export async function createEvents(input: NewEvent, context: ActingContext): Promise<Event[]> {
  const at = context.now();
  const checked = checkEvent(input, channelsOf(context), at);
  if ('problems' in checked) throw new UnprocessableError(...checked.problems);
  const { schedule, environment, channels } = checked;
  const dueAt = firstDue(schedule, at);
  const { tags } = input;
  const values = {
    ...ownerOf(context.viewer),
    ...schedule,
    environment,
    name: input.name?.trim() || null,
    active: dueAt !== null,
    dueAt,
    userIds: unique(input.userIds),
    externalUserIds: unique(input.externalUserIds).map(BigInt),
    tagsAny: unique(tags?.any),
    tagsAll: unique(tags?.all),
    tagsExclude: unique(tags?.exclude),
    tagQuery: input.tagQuery ?? (tags ? JSON.stringify(tags) : null),
    createdAt: at,
    updatedAt: at,
  };
  const data = channels.map((channel) => ({ ...values, channel, message: storedMessage(channel, input.message!) }));
  const events = await db.event.createManyAndReturn({ data });
  context.pushNotifier.wake();
  return events.sort((a, b) => a.id - b.id);
}

/** Users write no mails: whoever signs up with another's address could write to them by ours. */
function channelsOf({ viewer }: ActingContext): readonly PushChannel[] {
  return viewer.kind === 'key' ? PUSH_CHANNELS : PUSH_CHANNELS.filter((channel) => channel !== 'email');
}

function unique<Item>(items: readonly Item[] | null | undefined): Item[] {
  return [...new Set(items)];
}
