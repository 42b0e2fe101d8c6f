import type { ActingContext } from '../../context.ts';
import type { Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Event } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { PUSH_CHANNELS, storedMessage, USER_CHANNELS } from '../pushes/channels.ts';
import { ownerOf } from './own.ts';
import { checkEvent, type EventInput, firstDue, maxRecipientsOf } from './rules.ts';

/** Without a push type, one event per default channel. @throws {UnprocessableError} all problems */
export async function createEvents(
  input: EventInput,
  context: ActingContext,
  selection: Prisma.EventDefaultArgs,
): Promise<Event[]> {
  const at = context.now();
  const { viewer } = context;
  const checked = checkEvent(
    input,
    { channels: viewer.kind === 'key' ? PUSH_CHANNELS : USER_CHANNELS, maxRecipients: maxRecipientsOf(viewer) },
    at,
  );
  if ('problems' in checked) throw new UnprocessableError(...checked.problems);
  const { schedule, environment, channels } = checked;
  const dueAt = firstDue(schedule, at);
  const { tags } = input;
  const values = {
    ...ownerOf(viewer),
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
  const events = await transact(jobOwnerOf(viewer), (transaction) =>
    transaction.event.createManyAndReturn({ ...selection, data }),
  );
  context.pushNotifier.wake();
  return events.sort((a, b) => a.id - b.id);
}

function unique<Item>(items: readonly Item[] | null | undefined): Item[] {
  return [...new Set(items)];
}
