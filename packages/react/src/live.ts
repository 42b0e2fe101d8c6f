import type { AtriumError, Live } from '@atrium/client';
import { useRef, useSyncExternalStore } from 'react';

/**
 * The value of a `Live`, kept up to date while the component is mounted. With `select`, the component renders again only
 * if the selected part changes; parts that are arrays or objects need `isEqual` unless they are stored as such.
 */
export function useLive<Value>(live: Live<Value>): Value;
export function useLive<Value, Selected>(
  live: Live<Value>,
  select: (value: Value) => Selected,
  isEqual?: (a: Selected, b: Selected) => boolean,
): Selected;
export function useLive<Value, Selected = Value>(
  live: Live<Value>,
  select?: (value: Value) => Selected,
  isEqual: (a: Selected, b: Selected) => boolean = Object.is,
): Selected {
  const last = useRef<{ value: Selected } | undefined>(undefined);
  const chosen = (value: Value): Selected => {
    const next = select ? select(value) : (value as unknown as Selected);
    if (last.current && isEqual(last.current.value, next)) return last.current.value;
    last.current = { value: next };
    return next;
  };
  return useSyncExternalStore(
    live.subscribe,
    () => chosen(live.get()),
    () => chosen(live.initial),
  );
}

interface Loading {
  status: 'loading' | 'ready' | 'error';
  error?: AtriumError;
}

const loaded = new WeakMap<object, Promise<void>>();

/** Like `useLive`, but suspends while the value is loading, and throws its error. For browsers only. */
export function useSuspenseLive<Value extends Loading>(live: Live<Value>): Value {
  const value = useLive(live);
  if (value.status === 'error') throw value.error;
  if (value.status === 'loading') throw whenLoaded(live);
  return value;
}

function whenLoaded<Value extends Loading>(live: Live<Value>): Promise<void> {
  let promise = loaded.get(live);
  if (!promise) {
    promise = new Promise<void>((resolve) => {
      const stop = live.subscribe(() => {
        if (live.get().status === 'loading') return;
        loaded.delete(live);
        resolve();
        // The component subscribes first.
        setTimeout(() => stop());
      });
    });
    loaded.set(live, promise);
  }
  return promise;
}
