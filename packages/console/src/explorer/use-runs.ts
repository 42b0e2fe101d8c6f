import { t } from '@lingui/core/macro';
import { useEffect, useMemo, useRef, useState } from 'react';
import { type Answer, connect, type Operation, REFUSED, type Sender } from './requests.ts';

interface Event {
  id: number;
  time: number;
  /** JSON in lines. */
  text: string;
}

export interface Events {
  /** The last one first, at most `MAX_EVENTS`. */
  shown: Event[];
  /** Those that arrived since it was paused. */
  waiting: Event[];
  state: 'connecting' | 'listening' | 'paused' | 'ended';
  failure: string | undefined;
  pause: () => void;
  resume: () => void;
  clear: () => void;
}

interface Run {
  answer?: Answer;
  failure?: string;
  isRunning: boolean;
  events?: Pick<Events, 'shown' | 'waiting' | 'state' | 'failure'>;
}

const MAX_EVENTS = 500;

/** Runs operations of one tab. A new run ends the one before, and so do other credentials. */
export function useRuns(send: Sender, headers: Record<string, string>) {
  const [run, setRun] = useState<Run>({ isRunning: false });
  const stop = useRef<() => void>(() => {});
  const client = useMemo(() => connect(headers), [headers]);
  useEffect(
    () => () => {
      stop.current();
      void client.dispose();
    },
    [client],
  );

  const setEvents = (change: (old: NonNullable<Run['events']>) => Partial<Events>) =>
    setRun((old) => (old.events ? { ...old, events: { ...old.events, ...change(old.events) } } : old));

  const ask = async (operation: Operation) => {
    const request = new AbortController();
    stop.current = () => request.abort();
    setRun({ isRunning: true });
    try {
      const answer = await send(operation, request.signal);
      if (!request.signal.aborted) setRun({ isRunning: false, answer });
    } catch (error) {
      if (!request.signal.aborted) setRun({ isRunning: false, failure: reasonOf(error) });
    }
  };

  const listen = (operation: Operation) => {
    setRun({ isRunning: true, events: { shown: [], waiting: [], state: 'connecting', failure: undefined } });
    let count = 0;
    let isStopped = false;
    const end = (failure?: string) => {
      if (isStopped) return;
      isStopped = true;
      ignore();
      setRun((old) => ({ ...old, isRunning: false }));
      setEvents(() => ({ state: 'ended', failure }));
    };
    const ignore = client.on('connected', () =>
      setEvents(({ state }) => (state === 'connecting' ? { state: 'listening' } : {})),
    );
    const unsubscribe = client.subscribe({ ...operation, operationName: operation.operationName ?? null } as never, {
      next: (result) => {
        const event = {
          id: ++count,
          time: Date.now(),
          text: JSON.stringify(result.errors ? result : result.data, null, 2),
        };
        setEvents(({ state, shown, waiting }) =>
          state === 'paused'
            ? { waiting: [event, ...waiting].slice(0, MAX_EVENTS) }
            : { state: 'listening', shown: [event, ...shown].slice(0, MAX_EVENTS) },
        );
      },
      error: (error) => end(reasonOf(error)),
      complete: () => end(),
    });
    stop.current = () => {
      unsubscribe();
      end();
    };
  };

  return {
    ...run,
    start: (operation: Operation, isSubscription: boolean) => {
      stop.current();
      if (isSubscription) listen(operation);
      else void ask(operation);
    },
    stop: () => {
      stop.current();
      setRun((old) => ({ ...old, isRunning: false }));
    },
    events: run.events && {
      ...run.events,
      pause: () => setEvents(() => ({ state: 'paused' })),
      resume: () =>
        setEvents(({ shown, waiting }) => ({
          state: 'listening',
          shown: [...waiting, ...shown].slice(0, MAX_EVENTS),
          waiting: [],
        })),
      clear: () => setEvents(() => ({ shown: [] })),
    },
  };
}

/** Errors of a subscription are a list, or the end of its connection. */
function reasonOf(error: unknown): string {
  if (Array.isArray(error)) return error.map(({ message }) => message).join(' ');
  if (error instanceof CloseEvent && error.code === REFUSED) return t`The service does not accept these credentials.`;
  if (error instanceof CloseEvent) return error.reason || t`The connection was closed.`;
  // Browsers say no more than that a request failed.
  return error instanceof TypeError ? t`The service cannot be reached.` : (error as Error).message;
}
