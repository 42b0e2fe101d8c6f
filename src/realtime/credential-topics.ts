import type { IdentifiedViewer } from '../lib/access.ts';
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
export function credentialTopics(viewer: IdentifiedViewer): string[] {
  const { applicationId } = viewer;
  const topic = (kind: StreamRow['kind'], subject: number) =>
    credentialTopic({ kind, applicationId, subjectId: String(subject) });
  const topics: string[] = [];
  if ('session' in viewer && viewer.session) {
    topics.push(topic('sessionEnded', viewer.session.id), topic('sessionMinutesChanged', applicationId));
  }
  if ('apiKeyId' in viewer && viewer.apiKeyId !== undefined) topics.push(topic('apiKeyRevoked', viewer.apiKeyId));
  if (viewer.kind === 'user') topics.push(topic('userDeleted', viewer.userId));
  return topics;
}
