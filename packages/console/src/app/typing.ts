import { useDebouncedCallback } from '@mantine/hooks';
import { useRouter } from '@tanstack/react-router';

const PAUSE_MS = 300;

/** Applies a typed filter after a pause, unless the person has left for another page, which the change would undo. */
export function useTypedFilter<T>(apply: (value: T) => void): (value: T) => void {
  const { history } = useRouter();
  const applyHere = useDebouncedCallback((value: T, path: string) => {
    if (history.location.pathname === path) apply(value);
  }, PAUSE_MS);
  return (value) => applyHere(value, history.location.pathname);
}
