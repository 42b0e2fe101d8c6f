import type { ActingContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import type { User } from '../../generated/prisma/client.ts';
import { type ActingViewer, jobOwnerOf } from '../../lib/access.ts';
import { NoUpdateDataError, requireNone, UnknownUserError } from '../../lib/errors.ts';
import type { FieldProblems, Problem } from '../../lib/problems.ts';
import {
  type CredentialField,
  changedCredentials,
  mayChangeCredentials,
  requireFresh,
  sendCredentialNotice,
} from './credentials.ts';
import { findUser } from './find.ts';
import { grantedOf } from './granted-tags.ts';
import { proofsAfter } from './identities.ts';
import { lockUser, requireSession } from './lock.ts';
import { requireOwn } from './own.ts';
import { newPasswordProblems } from './password-rules.ts';
import { hashOwner, hashPassword, isPassword } from './passwords.ts';
import { endSessionsOf, removeDevices, voidPasswordResets } from './revoke.ts';
import { type CheckedUser, changeProblems, checkedChanges, type UserChanges } from './rules.ts';
import { storeUnique, takenFields, wellFormed } from './taken.ts';

const NEEDS_PROOF = 'SIGN_IN_TOO_OLD';

/** A new password ends other sessions and removes other devices. Changed credentials send a notice. */
export async function updateUser(id: number, input: UserChanges, context: ActingContext): Promise<User> {
  const before = await findUser(id, context);
  requireOwn(before, context);
  if (!changesSomething(input)) throw new NoUpdateDataError();

  const { applicationId } = before;
  const owner = { applicationId, id };
  const names = { login: input.login ?? before.login, email: input.email ?? before.email };
  const ofPassword = await newPasswordProblems(applicationId, input.password, names);
  const changes = checkedChanges(wellFormed(input, changeProblems(input, ofPassword)));
  const { viewer } = context;
  if (before.needsSecondFactor && changesCredentials(input, changes, before)) requireFresh(viewer, context.now());
  const proof = await oldPasswordProof(input, changes, before, context);
  const known = { ...ofPassword, ...(await takenFields(owner, changes)), oldPassword: proof.problems };
  requireNone(changeProblems(input, known, before));

  const noticed = noticedChanges(input, changes, before, viewer);
  // The address may be unverified, so that notices could annoy a stranger.
  if (noticed.length > 0 && viewer.kind === 'user' && viewer.session) await context.meter?.count('mail');
  const passwordHash = input.password
    ? await hashPassword(input.password, hashOwner(applicationId, context))
    : undefined;
  const stored = { ...changes, passwordHash };
  const user = await storeUnique(owner, changes, () => store({ before, proof, ofPassword }, input, stored, context));
  if (passwordHash) context.outbox.wake();
  await sendCredentialNotice(before, noticed, context);
  return user;
}

/** An API key stands for the application itself, which may notify its users. */
function noticedChanges(
  { password }: UserChanges,
  changes: Partial<CheckedUser>,
  before: User,
  viewer: ActingViewer,
): CredentialField[] {
  if (before.email === null || (viewer.kind === 'key' && !viewer.administrator)) return [];
  const changed = changedCredentials(changes, before);
  return viewer.administrator && password !== undefined ? ['password', ...changed] : changed;
}

function changesSomething({ oldPassword: _oldPassword, ...changes }: UserChanges): boolean {
  return Object.values(changes).some((value) => value !== undefined);
}

interface OldPasswordProof {
  isUsed: boolean;
  problems: Problem[];
}

// A new password needs the old one, except for API keys alone and users without one. A first password and other
// credentials need it unless `mayChangeCredentials`.
async function oldPasswordProof(
  { password, oldPassword }: UserChanges,
  changes: Partial<CheckedUser>,
  before: User,
  context: ActingContext,
): Promise<OldPasswordProof> {
  const { viewer } = context;
  const isNewPassword = password !== undefined && before.passwordHash !== null && viewer.kind !== 'key';
  const isCredential = changesCredentials({ password }, changes, before);
  // Guests have nothing to prove who they are.
  if (!isNewPassword && (!isCredential || before.isGuest || (await mayChangeCredentials(viewer, context)))) {
    return { isUsed: false, problems: [] };
  }
  if (!oldPassword || before.passwordHash === null) {
    return { isUsed: false, problems: [isNewPassword ? 'INVALID' : NEEDS_PROOF] };
  }
  await context.meter?.count('oldPassword');
  const isRight = await isPassword(oldPassword, before.passwordHash, hashOwner(before.applicationId, context));
  return { isUsed: isRight, problems: isRight ? [] : ['INVALID'] };
}

function changesCredentials({ password }: UserChanges, changes: Partial<CheckedUser>, before: User): boolean {
  return password !== undefined || changedCredentials(changes, before).length > 0;
}

type StoredChanges = Partial<CheckedUser> & { passwordHash: string | undefined };

/** Repeats the checks under the row lock, because of concurrent changes. */
function store(
  { before, proof, ofPassword }: { before: User; proof: OldPasswordProof; ofPassword: FieldProblems },
  input: UserChanges,
  changes: StoredChanges,
  { viewer, now }: ActingContext,
) {
  const { applicationId, id } = before;
  return transact(jobOwnerOf(viewer), async (transaction) => {
    const at = now();
    const current = await lockUser(transaction, { applicationId, id });
    if (!current) throw new UnknownUserError();
    await requireSession(transaction, viewer);
    const isStale = current.passwordHash !== before.passwordHash && viewer.kind !== 'key';
    const oldPassword: Problem[] = isStale && (changes.passwordHash || proof.isUsed) ? ['INVALID'] : [];
    requireNone(changeProblems(input, { ...ofPassword, oldPassword }, current));
    const user = await transaction.user.update({
      where: { applicationId_id: { applicationId, id } },
      data: {
        ...changes,
        ...(changes.passwordHash && { isGuest: false }),
        ...proofsAfter(changes, viewer, current),
        ...grantedOf(changes, viewer, current),
        updatedAt: at,
      },
    });
    if (changes.passwordHash) {
      await voidPasswordResets(transaction, { applicationId, userId: id }, at);
      const but = 'session' in viewer ? viewer.session?.id : undefined;
      await endSessionsOf(transaction, { applicationId, userId: id, but }, at);
      await removeDevices(transaction, { applicationId, userId: id, but });
    }
    return user;
  });
}
