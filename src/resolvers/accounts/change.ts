import type { ActingContext, IdentifiedContext } from '../../context.ts';
import type { User } from '../../generated/prisma/client.ts';
import { verifyNewAddress } from '../sessions/mailed-codes.ts';
import { createUser } from '../users/create.ts';
import type { UserChanges, UserInput } from '../users/rules.ts';
import { updateUser } from '../users/update.ts';

/** @throws like `createUser` */
export async function signUpUser(input: UserInput, context: IdentifiedContext): Promise<User> {
  const user = await createUser(input, context);
  await verifyNewAddress(user, context);
  return user;
}

/** @throws like `updateUser` */
export async function changeUser(id: number, input: UserChanges, context: ActingContext): Promise<User> {
  const user = await updateUser(id, input, context);
  if (input.email) await verifyNewAddress(user, context);
  return user;
}
