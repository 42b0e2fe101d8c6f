import type { KnownViewer } from '../lib/access.ts';
import type { StreamRow } from './outbox-reader.ts';

/** The topic of a row: `sessionEnded 92 7`. */
export function credentialTopic({
  kind,
  applicationId,
  subjectId,
}: Pick<StreamRow, 'kind' | 'applicationId' | 'subjectId'>) {
  return `${kind} ${applicationId} ${subjectId}`;
}

/** Topics of events that can end or change the credentials of a viewer. */
export function credentialTopics(viewer: KnownViewer): string[] {
  if (viewer.kind === 'administrator') return [];
  const { applicationId } = viewer;
  const topic = (kind: StreamRow['kind'], subject: number) =>
    credentialTopic({ kind, applicationId, subjectId: String(subject) });
  const topics = [topic('applicationMoved', applicationId)];
  if ('session' in viewer && viewer.session) {
    topics.push(topic('sessionEnded', viewer.session.id), topic('sessionMinutesChanged', applicationId));
  }
  if ('apiKeyId' in viewer && viewer.apiKeyId !== undefined) topics.push(topic('apiKeyRevoked', viewer.apiKeyId));
  if (viewer.kind === 'user') topics.push(topic('userDeleted', viewer.userId));
  return topics;
}
