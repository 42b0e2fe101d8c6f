import type { ActingContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import {
  type FieldErrors,
  InvalidFieldsError,
  NoUpdateDataError,
  SessionMissingError,
  UnknownUserError,
} from '../../lib/errors.ts';
import { type CheckedUser, changeProblems, checkedChanges, type UserChanges } from '../../lib/user-rules.ts';
import { voidPasswordResets } from '../password-resets.ts';
import { endSessionsOf } from '../sessions/end.ts';
import { findUser } from './find.ts';
import { vouchedFor } from './identities.ts';
import { requireOwn } from './own.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { storeUnique, takenFields, wellFormed } from './taken.ts';

/**
 * Changes what is given of a user; null clears a field. A new password ends the user's other sessions (gaps §4, §3.4).
 * @throws {UnknownUserError} @throws {OtherUserError} @throws {NoUpdateDataError} @throws {InvalidFieldsError}
 *   checked in this order
 */
export async function updateUser(id: number, input: UserChanges, context: ActingContext): Promise<User> {
  const before = await findUser(id, context);
  requireOwn(before, context);
  if (!changesSomething(input)) throw new NoUpdateDataError();

  const { applicationId } = before;
  const owner = { applicationId, id };
  const changes = checkedChanges(wellFormed(input, changeProblems(input)));
  const oldPassword = await oldPasswordProblems(input, before, context);
  const known = { ...(await takenFields(owner, changes)), oldPassword };
  requireNone(changeProblems(input, known, before));

  const passwordHash = input.password ? await hashPassword(input.password) : undefined;
  const user = await storeUnique(owner, changes, () => store(before, input, { ...changes, passwordHash }, context));
  if (passwordHash) context.outbox.wake();
  return user;
}

function changesSomething({ oldPassword: _oldPassword, ...changes }: UserChanges): boolean {
  return Object.values(changes).some((value) => value !== undefined);
}

/** Whoever sets a new password knows the one before, but for an API key alone and for users without one. */
async function oldPasswordProblems(
  { password, oldPassword }: UserChanges,
  { passwordHash }: User,
  { viewer }: ActingContext,
): Promise<string[]> {
  if (password === undefined || passwordHash === null || viewer.kind === 'key') return [];
  return (await isPassword(oldPassword ?? '', passwordHash)) ? [] : ['is invalid'];
}

type StoredChanges = Partial<CheckedUser> & { passwordHash: string | undefined };

/** What was checked before is looked at again under the row's lock: of two changes at once the second may not fit. */
function store(before: User, input: UserChanges, changes: StoredChanges, { viewer, now }: ActingContext) {
  const { applicationId, id } = before;
  return transact(jobOwnerOf(viewer), async (transaction) => {
    const at = now();
    const current = await lockUser(transaction, before);
    await requireSession(transaction, viewer);
    const isOldPasswordStale = current.passwordHash !== before.passwordHash && viewer.kind !== 'key';
    const oldPassword = changes.passwordHash && isOldPasswordStale ? ['is invalid'] : [];
    requireNone(changeProblems(input, { oldPassword }, current));
    const user = await transaction.user.update({
      where: { applicationId_id: { applicationId, id } },
      data: { ...changes, ...vouchedFor(changes, viewer), updatedAt: at },
    });
    if (changes.passwordHash || user.email !== current.email) {
      await voidPasswordResets(transaction, { applicationId, userId: id }, at);
    }
    if (changes.passwordHash) {
      const but = 'session' in viewer ? viewer.session?.id : undefined;
      await endSessionsOf(transaction, { applicationId, userId: id, but }, at);
    }
    return user;
  });
}

async function lockUser(transaction: Transaction, { applicationId, id }: User): Promise<User> {
  await transaction.$executeRaw`
    SELECT FROM users WHERE application_id = ${applicationId} AND id = ${id} FOR NO KEY UPDATE`;
  const user = await transaction.user.findUnique({ where: { applicationId_id: { applicationId, id } } });
  if (!user) throw new UnknownUserError();
  return user;
}

/**
 * Whoever ends a user's sessions holds the user's row: a change that was on its way then must not come behind it.
 * @throws {SessionMissingError}
 */
async function requireSession(transaction: Transaction, viewer: ActingContext['viewer']): Promise<void> {
  if (viewer.kind !== 'user' || !viewer.session) return;
  const { applicationId, userId, session } = viewer;
  const held = await transaction.session.count({ where: { applicationId, id: session.id, userId } });
  if (held === 0) throw new SessionMissingError();
}

function requireNone(problems: FieldErrors): void {
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);
}
