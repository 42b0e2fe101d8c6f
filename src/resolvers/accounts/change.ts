import type { ActingContext, IdentifiedContext } from '../../context.ts';
import type { User } from '../../generated/prisma/client.ts';
import { isVerifyingEmails, verifyNewAddress } from '../sessions/mailed-codes.ts';
import { createUser } from '../users/create.ts';
import type { UserChanges, UserInput } from '../users/rules.ts';
import { updateUser } from '../users/update.ts';

/** @throws like `createUser` */
export function signUpUser(input: UserInput, context: IdentifiedContext): Promise<User> {
  return withVerification(input.email, context, () => createUser(input, context));
}

/** @throws like `updateUser` */
export function changeUser(id: number, input: UserChanges, context: ActingContext): Promise<User> {
  return withVerification(input.email, context, () => updateUser(id, input, context));
}

/** Counts the mail before, so that sign-ups cannot be used to write to many strangers. */
async function withVerification(
  email: string | null | undefined,
  context: IdentifiedContext,
  change: () => Promise<User>,
): Promise<User> {
  // API keys prove the addresses that they write.
  const isMailed = Boolean(email) && context.viewer.kind !== 'key' && (await isVerifyingEmails(context.viewer));
  if (isMailed) await context.meter?.count('mail');
  const user = await change();
  if (isMailed) await verifyNewAddress(user, context);
  return user;
}
