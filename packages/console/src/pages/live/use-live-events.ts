import { t } from '@lingui/core/macro';
import { useCallback, useEffect, useRef, useState } from 'react';
import { query } from '../../app/clients.ts';
import { sentenceOf } from '../../app/query-client.ts';
import { CURSOR, type LiveEvent } from './documents.ts';
import { type Source, subscribe } from './source.ts';

/** Older events are dropped from the page, so that a busy application does not fill the memory. */
const MAX_EVENTS = 500;

/** `paused`: the service keeps the events, and `resume` delivers what was missed. */
export type LiveState = 'connecting' | 'live' | 'paused' | 'stopped';

export interface LiveEvents {
  /** Newest first. */
  events: LiveEvent[];
  state: LiveState;
  /** Why the stream has stopped, or that events are missing. */
  problem: string | undefined;
  pause: () => void;
  resume: () => void;
  clear: () => void;
}

/** @param source must remain the same object */
export function useLiveEvents(source: Source): LiveEvents {
  const [events, setEvents] = useState<LiveEvent[]>([]);
  const [state, setState] = useState<LiveState>('connecting');
  const [problem, setProblem] = useState<string>();
  const cursor = useRef<string>(undefined);
  const isWanted = state === 'connecting' || state === 'live';
  useEffect(() => {
    if (!isWanted) return;
    const aborted = new AbortController();
    const { signal } = aborted;
    const stop = (error?: unknown) => {
      if (signal.aborted) return;
      setState('stopped');
      setProblem(error === undefined ? t`The service ended the stream.` : sentenceOf(error));
    };
    const begin = async () => {
      // Also before it resumes, because the session may have ended in the meantime.
      const { changes } = await query(source.target, CURSOR, {}, signal);
      if (signal.aborted) return;
      cursor.current ??= changes.cursor;
      setState('live');
      subscribe(source, {
        since: cursor.current,
        signal,
        next: (event) => {
          cursor.current = event.cursor;
          setEvents((old) => [event, ...old].slice(0, MAX_EVENTS));
        },
        onGap: () => setProblem(t`Some events are missing, because they are no longer stored.`),
        end: stop,
      });
    };
    begin().catch(stop);
    return () => aborted.abort();
  }, [isWanted, source]);
  const resume = useCallback(() => {
    setProblem(undefined);
    setState('connecting');
  }, []);
  return {
    events,
    state,
    problem,
    pause: useCallback(() => setState('paused'), []),
    resume,
    clear: useCallback(() => setEvents([]), []),
  };
}
