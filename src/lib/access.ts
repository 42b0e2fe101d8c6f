import { ForbiddenError, NeedUserError, type ServiceError, UnauthenticatedError } from './errors.ts';
import type { JobOwner } from './semaphore.ts';

export interface ViewerSession {
  id: number;
  token: string;
  generation: number;
  signedInAt: Date;
  expiresAt: Date;
}

export type Viewer =
  | { kind: 'anonymous' }
  | { kind: 'refused'; reason: ServiceError }
  | (OfApplication & { kind: 'application'; session: ViewerSession })
  | (OfApplication & { kind: 'user'; userId: number; session?: ViewerSession; apiKeyId?: number })
  | (OfApplication & { kind: 'key'; apiKeyId: number });

export interface OfApplication {
  applicationId: number;
  catalogueVersion: number;
}

export type IdentifiedViewer = Exclude<Viewer, { kind: 'anonymous' | 'refused' }>;
export type UserViewer = Extract<Viewer, { kind: 'user' }>;
export type SessionViewer = IdentifiedViewer & { session: ViewerSession };
export type ActingViewer = Extract<Viewer, { kind: 'user' | 'key' }>;

/** Work of the application itself has no narrower owner than `service`. */
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
 * `anyone`, even without credentials; `session` or API key; `token`, no API key; `user`, also an API key on behalf of
 * one; `userOrKey`, the same or an API key alone; `key`, an API key alone.
 */
export type Access = 'anyone' | 'session' | 'token' | 'user' | 'userOrKey' | 'key';

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
