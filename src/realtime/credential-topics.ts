import type { KnownViewer } from '../lib/access.ts';
import type { StreamRow } from './outbox-reader.ts';

/** The topic of a row: `sessionEnded 92 7`. */
export function credentialTopic({
  kind,
  applicationId,
  subjectId,
}: Pick<StreamRow, 'kind' | 'applicationId' | 'subjectId'>) {
  // A template would keep its parts as long as the topic.
  return [kind, applicationId, subjectId].join(' ');
}

export interface CredentialListener {
  /** The credentials of the viewer may have ended or changed. */
  credentialsChanged: () => void;
  /** To another database. */
  applicationMoved: () => void;
}

/** Most topics have one listener, so the second one creates a set. */
export class CredentialListeners {
  readonly #listeners = new Map<string, CredentialListener | Set<CredentialListener>>();

  add(topic: string, listener: CredentialListener): void {
    const known = this.#listeners.get(topic);
    if (known instanceof Set) known.add(listener);
    else this.#listeners.set(topic, known ? new Set([known, listener]) : listener);
  }

  delete(topic: string, listener: CredentialListener): void {
    const known = this.#listeners.get(topic);
    if (known instanceof Set) known.delete(listener);
    if (known === listener || (known instanceof Set && known.size === 0)) this.#listeners.delete(topic);
  }

  notify(row: StreamRow): void {
    const known = this.#listeners.get(credentialTopic(row));
    const method = row.kind === 'applicationMoved' ? 'applicationMoved' : 'credentialsChanged';
    if (known instanceof Set) for (const listener of known) listener[method]();
    else known?.[method]();
  }
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
