import { t } from '@lingui/core/macro';
import { useCallback, useEffect, useRef, useState } from 'react';
import { clientOf, type Target } from '../../app/clients.ts';
import { sentenceOf } from '../../app/query-client.ts';
import { type LoggedRequest, REQUEST_LOGGED } from './documents.ts';
import type { filterOf } from './filters.tsx';

/** `paused`: the service keeps the requests, and `resume` delivers what was missed. */
export type FollowState = 'live' | 'paused' | 'stopped';

interface Follow {
  target: Target;
  filter: ReturnType<typeof filterOf>;
  /** Cursor from before the list was read; undefined until it is loaded. */
  since: string | undefined;
  onRequest: (request: LoggedRequest) => void;
}

/** Follows the log behind the loaded list. Starts again with other filters, so that each is a new component. */
export function useLiveRequests({ target, filter, since, onRequest }: Follow) {
  const [state, setState] = useState<FollowState>('live');
  const [problem, setProblem] = useState<string>();
  const cursor = useRef<string>(undefined);
  const latest = useRef({ filter, since, onRequest });
  latest.current = { filter, since, onRequest };
  const isReady = since !== undefined;
  const { application } = target;
  useEffect(() => {
    if (!isReady || state !== 'live') return;
    const aborted = new AbortController();
    cursor.current ??= latest.current.since!;
    clientOf({ application }).subscribe(
      REQUEST_LOGGED,
      { filter: latest.current.filter, since: cursor.current },
      {
        signal: aborted.signal,
        next: ({ requestLogged }) => {
          cursor.current = requestLogged.cursor;
          latest.current.onRequest(requestLogged.request);
        },
        end: (error?: unknown) => {
          if (aborted.signal.aborted) return;
          setState('stopped');
          setProblem(error === undefined ? t`The service ended the stream.` : sentenceOf(error));
        },
      },
    );
    return () => aborted.abort();
  }, [application, isReady, state]);
  return {
    state,
    problem,
    pause: useCallback(() => setState('paused'), []),
    resume: useCallback(() => {
      setProblem(undefined);
      setState('live');
    }, []),
  };
}
