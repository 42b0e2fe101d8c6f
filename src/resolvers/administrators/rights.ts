import { type AdministratorIdentity, hasRole, type Role } from '../../lib/access.ts';
import { ForbiddenError, ReasonRequiredError } from '../../lib/errors.ts';
import { requireConfirmed } from './sessions.ts';

export interface Right {
  roles: readonly Role[];
  /** A sign-in or confirmation of the last minutes is required. */
  isConfirmed?: boolean;
  /** Shows texts of messages, or can take over a user. */
  needsReason?: boolean;
  /** Members of the input for which the roles suffice. Others can take over a user or open data. Default: none. */
  harmlessMembers?: readonly string[];
}

/** Whether the roles suffice for this input. */
export function isHarmless({ harmlessMembers }: Right, input: object | undefined): boolean {
  return harmlessMembers !== undefined && Object.keys(input ?? {}).every((member) => harmlessMembers.includes(member));
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
  input: object | undefined,
  now: Date,
): void {
  const isRole =
    right !== undefined &&
    (applicationId === undefined
      ? administrator.roles.some(({ role }) => right.roles.includes(role))
      : hasRole(administrator, right.roles, applicationId));
  if (!isRole) throw new ForbiddenError('Your role does not allow this operation');
  if (isHarmless(right, input)) return;
  if (right.needsReason && !administrator.reason) throw new ReasonRequiredError();
  if (right.isConfirmed) requireConfirmed(administrator, now);
}
