import type { Actor } from './actor.ts';
import { BadInputError, ForbiddenError, NeedUserError, type ServiceError, UnauthenticatedError } from './errors.ts';
import type { FairnessPath } from './semaphore.ts';

export interface ViewerSession {
  id: number;
  token: string;
  generation: number;
  signedInAt: Date;
  /** When the user last proved who they are, by the sign-in or later. */
  confirmedAt: Date;
  expiresAt: Date;
  /** What the application demands of the users of sessions; undefined: nothing. */
  policies?: Policies | undefined;
}

export interface Policies {
  /** For messages and records. */
  isEmailRequired: boolean;
  /** Roles whose users may create dialogs; empty: all. */
  dialogCreators: readonly string[];
  /** Roles that this session may not use, because it was opened without a second factor. */
  unprovenRoles: readonly string[];
}

export type Role = 'owner' | 'developer' | 'support' | 'viewer';

export interface AssignedRole {
  /** Null: all applications. */
  applicationId: number | null;
  role: Role;
}

/** A person who is signed in to the console. */
export interface AdministratorIdentity {
  id: number;
  sessionId: number;
  roles: readonly AssignedRole[];
  /** When they last proved who they are. */
  confirmedAt: Date;
  /** Why they read messages. */
  reason?: string | undefined;
}

/** An administrator who has selected an application has the rights of an API key, as far as their roles allow. */
export type Viewer =
  | { kind: 'anonymous' }
  /** `claimedApplicationId`: of the token, unverified. */
  | { kind: 'refused'; reason: ServiceError; claimedApplicationId?: number | undefined }
  | { kind: 'administrator'; administrator: AdministratorIdentity; actor: Actor }
  | (OfApplication & { kind: 'application'; session: ViewerSession })
  | (OfApplication & {
      kind: 'user';
      userId: number;
      session?: ViewerSession;
      apiKeyId?: number;
      key?: KeyLimits;
      administrator?: AdministratorIdentity;
    })
  | (OfApplication & { kind: 'key'; apiKeyId: number; key?: KeyLimits; administrator?: undefined })
  /** The operator, at the command line. */
  | (OfApplication & { kind: 'key'; apiKeyId?: undefined; administrator?: undefined })
  | (OfApplication & { kind: 'key'; apiKeyId?: undefined; administrator: AdministratorIdentity; actor: Actor });

/** Of the API key of a request. */
export interface KeyLimits {
  /** Undefined: everything. */
  scopes?: readonly string[] | undefined;
  /** Differs after each change of the key. */
  generation: number;
  /** When the key, or its replaced secret, expires. */
  expiresAt?: Date | undefined;
}

export interface OfApplication {
  applicationId: number;
  catalogueVersion: number;
  /** Undefined for users themselves. */
  actor?: Actor | undefined;
}

export type IdentifiedViewer = Extract<Viewer, OfApplication>;
/** With valid credentials. */
export type KnownViewer = Exclude<Viewer, { kind: 'anonymous' | 'refused' }>;
export type AdministratorViewer = Extract<
  Viewer,
  { administrator: AdministratorIdentity; kind: 'administrator' | 'key' }
>;
export type UserViewer = Extract<Viewer, { kind: 'user' }>;
export type UserTokenViewer = UserViewer & { session: ViewerSession };
export type SessionViewer = IdentifiedViewer & { session: ViewerSession };
export type ActingViewer = Extract<Viewer, { kind: 'user' | 'key' }>;

export function isKnown(viewer: Viewer): viewer is KnownViewer {
  return viewer.kind !== 'anonymous' && viewer.kind !== 'refused';
}

/** Whether both are the same session of a user, which may have been extended between them. */
export function isSameSession(one: Viewer, other: Viewer): boolean {
  if (one.kind !== 'user' || other.kind !== 'user' || !one.session || !other.session) return false;
  return (
    one.applicationId === other.applicationId &&
    one.catalogueVersion === other.catalogueVersion &&
    one.userId === other.userId &&
    one.session.id === other.session.id &&
    one.session.token === other.session.token &&
    one.session.generation === other.session.generation &&
    one.session.signedInAt.getTime() === other.session.signedInAt.getTime()
  );
}

/** Whether the viewer acts in an application. */
export function isIdentified(viewer: Viewer): viewer is IdentifiedViewer {
  return isKnown(viewer) && viewer.kind !== 'administrator';
}

export function administratorOf(viewer: Viewer): AdministratorIdentity | undefined {
  return 'administrator' in viewer ? viewer.administrator : undefined;
}

/** @returns undefined for an API key alone */
export function userOf(viewer: ActingViewer): number | undefined {
  return viewer.kind === 'user' ? viewer.userId : undefined;
}

/** @returns undefined for callers without a restricted API key */
export function scopesOf(viewer: Viewer): readonly string[] | undefined {
  return 'key' in viewer ? viewer.key?.scopes : undefined;
}

/** @param applicationId undefined: only roles for all applications */
export function hasRole(
  { roles }: Pick<AdministratorIdentity, 'roles'>,
  wanted: readonly Role[],
  applicationId: number | undefined,
): boolean {
  return roles.some(
    (one) => wanted.includes(one.role) && (one.applicationId === null || one.applicationId === applicationId),
  );
}

/** Work of the application itself has no narrower owner than `service`. */
export function jobOwnerOf(
  viewer: { applicationId: number } & Partial<{
    userId: number;
    apiKeyId: number | undefined;
    session: ViewerSession;
    administrator: AdministratorIdentity | undefined;
    actor: Actor | undefined;
  }>,
): FairnessPath {
  const groups = [`application:${viewer.applicationId}`, callerIn(viewer)];
  return viewer.actor === undefined ? groups : withActor(groups, viewer.actor);
}

export function withActor(groups: string[], actor: Actor): FairnessPath {
  return Object.assign(groups, { actor });
}

function callerIn({ userId, apiKeyId, session, administrator }: Parameters<typeof jobOwnerOf>[0]): string {
  if (userId !== undefined) return `user:${userId}`;
  if (session !== undefined) return `session:${session.id}`;
  if (administrator !== undefined) return `administrator:${administrator.id}`;
  return apiKeyId === undefined ? 'service' : `key:${apiKeyId}`;
}

/** 0 without a user, as in the rows of what an API key alone created. */
export function userIdOf(viewer: Viewer): number {
  return viewer.kind === 'user' ? viewer.userId : 0;
}

/**
 * `anyone`, even without credentials; `session` or API key; `token`, no API key;
 * `userToken`, no API key, with a user; `user`, also an API key on behalf of
 * one; `userOrKey`, the same or an API key alone; `key`, an API key alone; `administrator`, a person in the console.
 * Where an API key is allowed, so is an administrator who has selected an application and has a suitable role.
 */
export const ACCESSES = [
  'anyone',
  'session',
  'token',
  'userToken',
  'user',
  'userOrKey',
  'key',
  'administrator',
] as const;
export type Access = (typeof ACCESSES)[number];

export function isAllowed(access: Access, viewer: Viewer): boolean {
  switch (access) {
    case 'anyone':
      return true;
    case 'session':
      return isIdentified(viewer);
    case 'token':
      return 'session' in viewer && viewer.session !== undefined;
    case 'userToken':
      return viewer.kind === 'user' && viewer.session !== undefined;
    case 'user':
      return viewer.kind === 'user';
    case 'userOrKey':
      return viewer.kind === 'user' || viewer.kind === 'key';
    case 'key':
      return viewer.kind === 'key';
    case 'administrator':
      return viewer.kind === 'administrator' || (viewer.kind === 'key' && viewer.administrator !== undefined);
  }
}

export function refusal(access: Access, viewer: Viewer): ServiceError | undefined {
  if (isAllowed(access, viewer)) return undefined;
  if (viewer.kind === 'anonymous') return new UnauthenticatedError('TOKEN_REQUIRED');
  if (viewer.kind === 'refused') return viewer.reason;
  if (viewer.kind === 'administrator') return new BadInputError('APPLICATION_REQUIRED');
  if (access === 'administrator') return new UnauthenticatedError('CONSOLE_SIGN_IN_REQUIRED');
  if (access === 'token' || (access === 'userToken' && viewer.kind !== 'application'))
    return new UnauthenticatedError('TOKEN_REQUIRED');
  if (access === 'key' && viewer.kind === 'user') {
    return new ForbiddenError('OPERATION_FORBIDDEN');
  }
  return new NeedUserError();
}
