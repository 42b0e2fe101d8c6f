import { ForbiddenError, NeedUserError, type ServiceError, UnauthenticatedError } from './errors.ts';
import type { JobOwner } from './semaphore.ts';

/** A session as its token shows it. */
export interface ViewerSession {
  id: number;
  token: string;
  /** Grows with each login and logout of the token. */
  generation: number;
  /** When it became its user's, by creation or login. */
  signedInAt: Date;
  /** When the session ends unless another request restarts its lifetime. */
  expiresAt: Date;
}

/** Who calls, on whatever door. */
export type Viewer =
  | { kind: 'anonymous' }
  /** A credential was sent and refused; operations that ask nobody work all the same. */
  | { kind: 'refused'; reason: ServiceError }
  | (OfApplication & { kind: 'application'; session: ViewerSession })
  | (OfApplication & { kind: 'user'; userId: number; session?: ViewerSession; apiKeyId?: number })
  | (OfApplication & { kind: 'key'; apiKeyId: number });

/** The application that somebody calls for. */
export interface OfApplication {
  applicationId: number;
  /** Of the application's classes when the credentials were looked at. */
  catalogueVersion: number;
}

/** The callers whose credentials hold. */
export type IdentifiedViewer = Exclude<Viewer, { kind: 'anonymous' | 'refused' }>;
export type UserViewer = Extract<Viewer, { kind: 'user' }>;
export type SessionViewer = IdentifiedViewer & { session: ViewerSession };
export type ActingViewer = Extract<Viewer, { kind: 'user' | 'key' }>;

/** Whose turn it is in semaphores; work of an application as a whole has no caller of its own. */
export function jobOwnerOf(
  viewer: { applicationId: number } & Partial<{ userId: number; apiKeyId: number; session: ViewerSession }>,
): JobOwner {
  const { applicationId, userId, apiKeyId, session } = viewer;
  const application = `application:${applicationId}`;
  if (userId !== undefined) return [application, `user:${userId}`];
  if (session !== undefined) return [application, `session:${session.id}`];
  return [application, apiKeyId === undefined ? 'service' : `key:${apiKeyId}`];
}

/**
 * Who may call an operation. The contract's letters: `anyone` - even without credentials; `session` S, any session or
 * API key; `token` T, any session but no API key; `user` U, a user's session or an API key on a user's behalf;
 * `userOrKey` UK, that or an API key alone; `key` K, an API key alone.
 */
export type Access = 'anyone' | 'session' | 'token' | 'user' | 'userOrKey' | 'key';

/** Whether the viewer may call an operation of that access. */
export function isAllowed(access: Access, viewer: Viewer): boolean {
  switch (access) {
    case 'anyone':
      return true;
    case 'session':
      return viewer.kind !== 'anonymous' && viewer.kind !== 'refused';
    case 'token':
      return 'session' in viewer && viewer.session !== undefined;
    case 'user':
      return viewer.kind === 'user';
    case 'userOrKey':
      return viewer.kind === 'user' || viewer.kind === 'key';
    case 'key':
      return viewer.kind === 'key';
  }
}

/** Why the viewer may not call an operation of that access; undefined when they may. */
export function refusal(access: Access, viewer: Viewer): ServiceError | undefined {
  if (isAllowed(access, viewer)) return undefined;
  if (viewer.kind === 'anonymous') return new UnauthenticatedError('Token is required');
  if (viewer.kind === 'refused') return viewer.reason;
  if (access === 'token') return new UnauthenticatedError('Token is required');
  if (access === 'key' && viewer.kind === 'user') {
    return new ForbiddenError("You don't have appropriate permissions to do this operation");
  }
  return new NeedUserError();
}
