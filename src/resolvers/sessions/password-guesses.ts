import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { hashSecret } from '../../lib/tokens.ts';

type GuessContext = Pick<Context, 'meter' | 'network'>;

/** As typed, so that unknown accounts are counted like others. */
export interface TypedAccount {
  applicationId: number;
  name: string;
}

/**
 * Delays guesses of one password: from a network, and from all networks where its user has no session, so that a guesser
 * elsewhere does not lock the user out. @throws {RateLimitedError}
 */
export async function requireGuess(account: TypedAccount, user: User | null, context: GuessContext): Promise<void> {
  const { meter, network } = context;
  const { ofNetwork, ofAccount } = keysOf(account, network);
  if (meter?.isUsedUp('networkGuesses', ofNetwork)) await meter.countOf('networkGuesses', ofNetwork);
  if (!meter?.isUsedUp('accountGuesses', ofAccount)) return;
  if (!user || !(await isKnownNetwork(user, network))) await meter.countOf('accountGuesses', ofAccount);
}

/** After a wrong password. */
export async function countGuess(account: TypedAccount, user: User | null, { meter, network }: GuessContext) {
  const { ofNetwork, ofAccount } = keysOf(account, network);
  await meter?.countOf('networkGuesses', ofNetwork);
  if (meter && !(user && (await isKnownNetwork(user, network)))) await meter.countOf('accountGuesses', ofAccount);
}

function keysOf({ applicationId, name }: TypedAccount, network: string) {
  const ofAccount = hashSecret(`${applicationId} ${name.toLowerCase()}`);
  return { ofAccount, ofNetwork: `${network} ${ofAccount}` };
}

async function isKnownNetwork({ applicationId, id: userId }: User, network: string): Promise<boolean> {
  return (await db.session.count({ where: { applicationId, userId, network } })) > 0;
}
