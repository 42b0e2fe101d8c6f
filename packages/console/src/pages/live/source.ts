import { clientOf, type Target } from '../../app/clients.ts';
import { DIALOG_EVENTS, type LiveEvent, RECORD_EVENTS } from './documents.ts';

/** What the stream delivers: the events of a dialog or of all dialogs, or the changes of the records of a class. */
export interface Source {
  target: Target;
  dialogId: string | undefined;
  /** Instead of dialogs. */
  className: string | undefined;
}

interface Listener {
  /** Undefined: from now on. */
  since?: string;
  signal: AbortSignal;
  next: (event: LiveEvent) => void;
  onGap: () => void;
  end: (error?: unknown) => void;
}

export function subscribe({ target, dialogId, className }: Source, { since, next, ...options }: Listener): void {
  const client = clientOf(target);
  if (className !== undefined) {
    const take = ({ cursor, change, ...details }: RecordEvent) => next({ cursor, kind: change, ...now(), details });
    client.subscribe(
      RECORD_EVENTS,
      { className, since: since ?? null },
      { ...options, next: ({ recordChanged }) => take(recordChanged) },
    );
    return;
  }
  client.subscribe(
    DIALOG_EVENTS,
    { dialogId: dialogId ?? null, since: since ?? null },
    {
      ...options,
      next: ({ dialogEvents: { __typename, cursor, dialogId, ...details } }) =>
        next({ cursor, kind: __typename, dialogId, ...now(), details }),
    },
  );
}

interface RecordEvent {
  cursor: string;
  change: 'CREATED' | 'UPDATED' | 'DELETED';
  recordId: string;
  record: object | null;
}

const now = () => ({ receivedAt: new Date().toISOString() });
