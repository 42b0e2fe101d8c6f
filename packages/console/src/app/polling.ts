import { useIdle } from '@mantine/hooks';

const IDLE_MS = 5 * 60_000;

/** For `refetchInterval`: pauses while the page is idle, because each request extends the session. */
export function usePolling(milliseconds: number): number | false {
  return useIdle(IDLE_MS, { initialState: false }) ? false : milliseconds;
}

/** Pages of a list that are refreshed; further ones show what they loaded, because all would be loaded again. */
const MAX_POLLED_PAGES = 2;

/** `usePolling` for a list that grows while it scrolls. */
export function useListPolling(milliseconds: number) {
  const interval = usePolling(milliseconds);
  return ({ state }: { state: { data: { pages: unknown[] } | undefined } }): number | false =>
    state.data && state.data.pages.length > MAX_POLLED_PAGES ? false : interval;
}
