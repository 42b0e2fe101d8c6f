import { type AdministratorIdentity, hasRole, type Role } from '../../lib/access.ts';
import { ForbiddenError, ReasonRequiredError } from '../../lib/errors.ts';
import { requireConfirmed } from './sessions.ts';

export interface Right {
  roles: readonly Role[];
  /** A sign-in or confirmation of the last minutes is required. */
  isConfirmed?: boolean;
  /** Shows texts of messages, so a reason is required. */
  needsReason?: boolean;
}

/**
 * @param right undefined: no administrator may run the operation
 * @param applicationId undefined: outside of an application, where roles for one application suffice, because the
 *    operation itself decides about each application
 * @throws {ForbiddenError} {ReasonRequiredError} {ConfirmationRequiredError}
 */
export function requireRight(
  right: Right | undefined,
  administrator: AdministratorIdentity,
  applicationId: number | undefined,
  now: Date,
): void {
  const isRole =
    right !== undefined &&
    (applicationId === undefined
      ? administrator.roles.some(({ role }) => right.roles.includes(role))
      : hasRole(administrator, right.roles, applicationId));
  if (!isRole) throw new ForbiddenError('Your role does not allow this operation');
  if (right.needsReason && !administrator.reason) throw new ReasonRequiredError();
  if (right.isConfirmed) requireConfirmed(administrator, now);
}
