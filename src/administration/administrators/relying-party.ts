import { isIP } from 'node:net';
import type { Context } from '../../context.ts';
import { BadInputError } from '../../lib/errors.ts';
import type { RelyingParty } from '../../platform/second-factors/passkeys.ts';
import { requirePage } from './sessions.ts';

/** A page that may use the cookie of the console may also use passkeys of its host. @throws {BadInputError} */
export function relyingPartyOf(context: Pick<Context, 'page'>): RelyingParty & { origin: string } {
  const { origin } = requirePage(context);
  const { hostname: id } = new URL(origin);
  if (isIP(id.replace(/^\[|\]$/g, '')) !== 0) {
    throw new BadInputError('HOST_NAME_REQUIRED');
  }
  return { id, origin };
}
