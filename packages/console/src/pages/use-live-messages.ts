import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { clientOf, query } from '../app/clients.ts';
import { sentenceOf } from '../app/query-client.ts';
import {
  type DialogEvent,
  EVENTS,
  type Loaded,
  MESSAGE,
  withChanged,
  withMarks,
  withMessage,
  without,
} from './messages.ts';

interface LiveDialog {
  application: number;
  dialogId: string;
  /** Cursor from before the messages were loaded, so that no message is missed. */
  since: string;
}

export const messagesKey = (application: number, dialogId: string) => [application, 'messages', dialogId];

/** Applies events to the loaded messages. @returns why live updates have stopped */
export function useLiveMessages({ application, dialogId, since }: LiveDialog): string | undefined {
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const aborted = new AbortController();
    const { signal } = aborted;
    const queryKey = messagesKey(application, dialogId);
    const change = (apply: (old: Loaded) => Loaded) =>
      queries.setQueryData<Loaded>(queryKey, (old) => old && apply(old));
    const reload = async (id: string) => {
      const { message } = await query({ application }, MESSAGE, { id }, signal);
      change((old) => withChanged(old, message));
    };
    const apply = async (event: DialogEvent) => {
      await settled(() => queries.isFetching({ queryKey }) === 0, signal);
      if (event.__typename === 'MessageSent') change((old) => withMessage(old, event.message));
      else if (event.__typename === 'MessageEdited') change((old) => withChanged(old, event.message));
      else if (event.__typename === 'MessagesDeleted') change((old) => without(old, event.deletedIds));
      else if (event.__typename === 'MessagesMarked') change((old) => withMarks(old, event));
      else if (event.__typename === 'ReactionAdded' || event.__typename === 'ReactionRemoved') {
        await reload(event.messageId).catch(() => {}); // deleted in the meantime
      }
    };
    /** Waits for pages that are being loaded, which would replace the change of an event. */
    const settled = (isSettled: () => boolean, { aborted }: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (isSettled() || aborted) return resolve();
        const stop = queries.getQueryCache().subscribe(() => {
          if (!isSettled()) return;
          stop();
          resolve();
        });
        signal.addEventListener('abort', stop);
      });
    clientOf({ application }).subscribe(
      EVENTS,
      { dialogId, since },
      {
        signal,
        onGap: () => queries.invalidateQueries({ queryKey }),
        next: ({ dialogEvents }) => apply(dialogEvents),
        end: (error) => {
          if (!signal.aborted) setProblem(error ? sentenceOf(error) : t`The service ended the stream.`);
        },
      },
    );
    return () => aborted.abort();
  }, [application, dialogId, since, queries]);
  return problem;
}
