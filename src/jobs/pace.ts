import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

const MAX_PAUSE_MS = 250;

/** Pauses for as long as the event loop was busy since the last call, so that requests get at least half of its time. */
export function createPace(): () => Promise<void> {
  let last = performance.eventLoopUtilization();
  return async () => {
    const { active } = performance.eventLoopUtilization(last);
    if (active >= 1) await pause(Math.min(active, MAX_PAUSE_MS));
    last = performance.eventLoopUtilization();
  };
}
