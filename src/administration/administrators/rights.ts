import { type AdministratorIdentity, hasRole, type Role } from '../../lib/access.ts';
import { ForbiddenError, ReasonRequiredError } from '../../lib/errors.ts';
import { requireConfirmed } from './sessions.ts';

export const OWNER: readonly Role[] = ['owner'];
export const DEVELOPER: readonly Role[] = ['owner', 'developer'];
export const SUPPORT: readonly Role[] = ['owner', 'support'];
export const STAFF: readonly Role[] = ['owner', 'developer', 'support'];
export const ALL: readonly Role[] = ['owner', 'developer', 'support', 'viewer'];

/** What an administrator needs to run an operation. */
export interface Right {
  roles: readonly Role[];
  /** A sign-in or confirmation of the last minutes is required. */
  isConfirmed?: boolean;
  /** Shows texts of messages, or can take over a user. */
  needsReason?: boolean;
  /** Members of the input for which the roles suffice. Others can take over a user, open data or replace a file. Default: none. */
  harmlessMembers?: readonly string[];
  /** Members of the arguments, at any depth, that need the confirmation. Default: every call needs it. */
  confirmedMembers?: readonly string[];
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
  args: { input?: object },
  now: Date,
): void {
  const isRole =
    right !== undefined &&
    (applicationId === undefined
      ? administrator.roles.some(({ role }) => right.roles.includes(role))
      : hasRole(administrator, right.roles, applicationId));
  if (!isRole) throw new ForbiddenError('ROLE_FORBIDS');
  if (isHarmless(right, args.input)) return;
  if (right.needsReason && !administrator.reason) throw new ReasonRequiredError();
  const { confirmedMembers } = right;
  if (confirmedMembers ? hasMember(args, confirmedMembers) : right.isConfirmed) requireConfirmed(administrator, now);
}

function hasMember(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, part]) => names.includes(name) || hasMember(part, names));
}
