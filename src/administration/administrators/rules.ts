import { type AdministratorIdentity, type AdministratorViewer, type AssignedRole, hasRole } from '../../lib/access.ts';
import { DisabledError, ForbiddenError, InvalidFieldsError } from '../../lib/errors.ts';
import { isMailAddress } from '../../lib/mail-address.ts';
import { type FieldProblems, problem } from '../../lib/problems.ts';
import { OWNER } from './rights.ts';

export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 128;
export const MAX_NAME = 255;
export const MAX_ROLES = 100;

const MAX_REASON = 500;
const MIN_REASON = 3;

/** @throws {DisabledError} the console is off, or has a port of its own */
export function requireConsole({ isConsoleOn }: { isConsoleOn: boolean }): void {
  if (!isConsoleOn) throw new DisabledError('CONSOLE_OFF');
}

/**
 * Without control characters and those that change how an entry is displayed, such as bidi overrides; at most 500
 * characters. @returns undefined for fewer than three visible characters, which state no reason
 */
export function reasonOf(text: string | undefined): string | undefined {
  const reason = text
    ?.replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON);
  return reason && (reason.match(/[\p{L}\p{N}\p{P}\p{S}]/gu)?.length ?? 0) >= MIN_REASON ? reason : undefined;
}

export interface AdministratorInput {
  email?: string | null;
  name?: string | null;
  password?: string | null;
  roles?: readonly AssignedRole[] | null;
}

/** Undefined and null are not checked. @throws {InvalidFieldsError} */
export function requireValid({ email, name, password, roles }: AdministratorInput): void {
  const problems: FieldProblems = {};
  if (email != null && !isMailAddress(emailOf(email))) problems.email = ['EMAIL_INVALID'];
  if (name != null && name.trim() === '') problems.name = ['BLANK'];
  if (name != null && name.trim().length > MAX_NAME) {
    problems.name = [problem('TOO_LONG', { max: MAX_NAME })];
  }
  if (password != null && (password.length < MIN_PASSWORD || password.length > MAX_PASSWORD)) {
    problems.password = [problem('WRONG_LENGTH', { min: MIN_PASSWORD, max: MAX_PASSWORD })];
  }
  if (roles != null && (roles.length === 0 || roles.length > MAX_ROLES)) {
    problems.roles = [problem('ROLES_COUNT', { max: MAX_ROLES })];
  }
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);
}

export function emailOf(text: string): string {
  return text.trim().toLowerCase();
}

/** Those in applications that the caller owns. */
export function ownedRoles(
  { administrator }: { administrator: Pick<AdministratorIdentity, 'roles'> },
  roles: readonly AssignedRole[],
): AssignedRole[] {
  return roles.filter(({ applicationId }) => hasRole(administrator, OWNER, applicationId ?? undefined));
}

/** @throws {ForbiddenError} the caller does not own an application of these roles */
export function requireOwnerOf(viewer: AdministratorViewer, roles: readonly AssignedRole[]): void {
  if (ownedRoles(viewer, roles).length < roles.length) {
    throw new ForbiddenError('ROLES_NEED_OWNER');
  }
}

/** @throws {ForbiddenError} the caller owns no application */
export function requireOwner({ administrator }: AdministratorViewer): void {
  if (ownedApplications(administrator)?.length === 0) throw new ForbiddenError('ADMINISTRATORS_NEED_OWNER');
}

/** @throws {ForbiddenError} */
export function requireOwnerOfAll({ administrator }: AdministratorViewer): void {
  if (!ownsAll(administrator)) throw new ForbiddenError('OWNER_OF_ALL_REQUIRED');
}

export function ownsAll(administrator: Pick<AdministratorIdentity, 'roles'>): boolean {
  return hasRole(administrator, OWNER, undefined);
}

/** Undefined: all applications. */
export function ownedApplications({ roles }: Pick<AdministratorIdentity, 'roles'>): number[] | undefined {
  if (ownsAll({ roles })) return undefined;
  return roles.flatMap(({ role, applicationId }) =>
    role === 'owner' && applicationId !== null ? [applicationId] : [],
  );
}

/** Owners of some applications see who has a role there, without roles in others. Undefined: they do not see this one. */
export function seenBy<Seen extends { id: number; roles: readonly AssignedRole[] }>(
  { administrator }: AdministratorViewer,
  seen: Seen,
): Seen | undefined {
  const owned = ownedApplications(administrator);
  if (!owned || seen.id === administrator.id) return seen;
  const roles = seen.roles.filter(({ applicationId }) => applicationId === null || owned.includes(applicationId));
  return roles.length > 0 ? { ...seen, roles } : undefined;
}
