import type { UserContext } from '../../context.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { newId } from '../../db/ids.ts';
import { BadInputError, ForbiddenError, UnknownUserError, UnprocessableError } from '../../lib/errors.ts';
import { InOrder } from '../../lib/in-order.ts';
import { type Problem, problem, when } from '../../lib/problems.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import type { EventOrigin, SignalContent } from '../../realtime/outbox.ts';
import type { StreamRow } from '../../realtime/outbox-reader.ts';
import type { Subscription, SubscriptionTarget } from '../../realtime/subscription.ts';
import { blockersOf, standingWith } from '../blocks/between.ts';
import { requireReadableDialog } from '../dialogs/access.ts';
import { MAX_BYTES } from '../messages/rules.ts';

export const MAX_SIGNAL_ID = 255;
export const MAX_PAYLOAD_BYTES = 64 * 1024;

export interface NewSignal {
  /** Of a user, instead of `dialogId`. */
  userId?: number | null;
  dialogId?: string | null;
  kind: SignalContent['kind'];
  id?: string | null;
  text?: string | null;
  payload?: unknown;
}

export interface Signal extends SignalContent {
  senderId: number;
  dialogId: string | null;
}

type Target = Pick<StreamRow, 'dialogId' | 'dialogType' | 'memberVersion' | 'audienceIds' | 'blockerIds'>;

const NO_DIALOG = { dialogId: null, dialogType: null, memberVersion: null };

/** The kind of a signal replaces it. */
const KIND_KEY = 'moduleIdentifier';

const inOrder = new InOrder();

/**
 * Delivers to the current subscribers, in the order of the calls of a sender; stores nothing.
 * @throws {BadInputError} {UnknownUserError} {NotFoundError} {UnprocessableError}
 * @throws {ForbiddenError} a block applies, or the sender is no occupant
 */
export function sendSignal(input: NewSignal, context: UserContext): Promise<Signal> {
  const { viewer, hub, now, origin } = context;
  const { applicationId, userId: senderId } = viewer;
  return inOrder.run(`${applicationId}:${senderId}`, async () => {
    const content = checkedContent(input, origin);
    const target =
      input.userId == null ? await ofDialog(input.dialogId!, context) : await ofUser(input.userId, context);
    const id = input.id || newId(now());
    const signal = { ...content, id, kind: input.kind, recipientId: input.userId ?? undefined, origin };
    // The bus sends equal messages of one moment once.
    const subjectId = newId(now());
    const rest = { userId: senderId, name: null, classKey: null, subjectId, detail: { signal } };
    hub.broadcast({ kind: 'signal', applicationId, ...rest, ...target });
    return { ...signal, senderId, dialogId: target.dialogId };
  });
}

/** @param of what other transports need besides: see `SubscriptionTarget` */
export function subscribeToSignals(
  { viewer, hub }: UserContext,
  of: Pick<SubscriptionTarget, 'isJoined' | 'includesOwn'> = {},
): Promise<Subscription> {
  return hub.subscribe({ viewer, kind: 'signal', ...of }, undefined);
}

export function signalOf({ userId, dialogId, detail }: Pick<StreamRow, 'userId' | 'dialogId' | 'detail'>): Signal {
  return { ...detail!.signal!, senderId: userId!, dialogId };
}

function checkedContent({ userId, dialogId, kind, id, text, payload }: NewSignal, origin: EventOrigin | undefined) {
  const isOfDialog = dialogId != null && kind === 'message';
  if ((userId != null) === (dialogId != null) || (dialogId != null && !isOfDialog))
    throw new BadInputError('SIGNAL_ADDRESS');
  const given = payload ?? {};
  if (typeof given !== 'object' || Array.isArray(given))
    throw new BadInputError(problem('NOT_AN_OBJECT', { name: 'payload' }));
  const { [KIND_KEY]: _kind, ...content } = given as Record<string, unknown>;
  const problems: Problem[] = [
    ...when(
      id != null && (id === '' || [...id].length > MAX_SIGNAL_ID),
      problem('WRONG_ID_LENGTH', { max: MAX_SIGNAL_ID }),
    ),
    ...when(!text && Object.keys(content).length === 0 && !origin, 'MESSAGE_REQUIRED'),
    ...when(Buffer.byteLength(text ?? '') > MAX_BYTES, problem('MESSAGE_TOO_LONG', { max: MAX_BYTES })),
    ...when(
      Buffer.byteLength(JSON.stringify(content)) > MAX_PAYLOAD_BYTES,
      problem('PAYLOAD_TOO_LARGE', { max: MAX_PAYLOAD_BYTES }),
    ),
  ];
  if (problems.length > 0) throw new UnprocessableError(...problems);
  return { text: text ?? '', payload: content };
}

async function ofUser(userId: number, { viewer }: UserContext): Promise<Target> {
  const { applicationId, userId: senderId } = viewer;
  const standing = isDatabaseId(userId) ? await standingWith({ applicationId, senderId, userId }) : 'unknown';
  if (standing === 'unknown') throw new UnknownUserError();
  if (standing === 'refused') throw new ForbiddenError('BLOCKED');
  return { ...NO_DIALOG, audienceIds: [...new Set([userId, senderId])] };
}

async function ofDialog(dialogId: string, { viewer }: UserContext): Promise<Target> {
  const { applicationId, userId } = viewer;
  const { type, memberVersion, otherId } = await requireReadableDialog(dialogId, viewer);
  if (
    type === DIALOG_TYPE.PRIVATE &&
    (await standingWith({ applicationId, senderId: userId, userId: otherId })) === 'refused'
  )
    throw new ForbiddenError('BLOCKED');
  const blockerIds = await blockersOf({ applicationId, userId, isInGroup: type !== DIALOG_TYPE.PRIVATE });
  return { dialogId, dialogType: type, memberVersion, audienceIds: null, blockerIds };
}
