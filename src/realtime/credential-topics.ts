import type { KnownViewer } from '../lib/access.ts';
import type { StreamRow } from './outbox-reader.ts';

/** Names what a row tells of: `sessionEnded 92 7`. */
export function credentialTopic({
  kind,
  applicationId,
  subjectId,
}: Pick<StreamRow, 'kind' | 'applicationId' | 'subjectId'>) {
  return `${kind} ${applicationId} ${subjectId}`;
}

/** What the credentials of a viewer can end or change by. */
export function credentialTopics(viewer: KnownViewer): string[] {
  const { applicationId } = viewer;
  const place = (kind: StreamRow['kind'], subject: number) =>
    credentialTopic({ kind, applicationId, subjectId: String(subject) });
  const places: string[] = [];
  if ('session' in viewer && viewer.session) {
    places.push(place('sessionEnded', viewer.session.id), place('sessionMinutesChanged', applicationId));
  }
  if ('apiKeyId' in viewer && viewer.apiKeyId !== undefined) places.push(place('apiKeyRevoked', viewer.apiKeyId));
  if (viewer.kind === 'user') places.push(place('userDeleted', viewer.userId));
  return places;
}
