import { useIdle } from '@mantine/hooks';

const IDLE_MS = 5 * 60_000;

/** For `refetchInterval`: pauses while the page is idle, because each request extends the session. */
export function usePolling(milliseconds: number): number | false {
  return useIdle(IDLE_MS, { initialState: false }) ? false : milliseconds;
}
