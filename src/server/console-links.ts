import type { Config } from '../config.ts';
import type { Services } from '../context.ts';
import { CONSOLE } from './pages/paths.ts';

/** Where the console is, and which pages belong to it. */
export function consoleLinks(
  { isConsoleOn, consoleOrigin }: Pick<Config, 'isConsoleOn' | 'consoleOrigin'>,
  publicUrl: () => string,
): Pick<Services, 'consoleUrl' | 'isConsoleOn' | 'isConsoleOrigin'> {
  return {
    isConsoleOn,
    consoleUrl: () => `${consoleOrigin ?? publicUrl()}${CONSOLE}`,
    // A proxy may change the protocol of the request.
    isConsoleOrigin: (origin, host) =>
      consoleOrigin
        ? origin === consoleOrigin
        : origin === new URL(publicUrl()).origin || origin === `https://${host}` || origin === `http://${host}`,
  };
}
