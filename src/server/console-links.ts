import type { Config } from '../config.ts';
import type { Services } from '../context.ts';
import { CONSOLE } from './pages/paths.ts';

/** Where the service listens; available once it does. */
export interface Addresses {
  main: () => string;
  /** Of the port of the console, if it has its own. */
  console: () => string;
}

/** Where the console is, and which pages belong to it. */
export function consoleLinks(
  { isConsoleOn, consoleOrigin, consolePort }: Pick<Config, 'isConsoleOn' | 'consoleOrigin' | 'consolePort'>,
  publicUrl: () => string,
  addresses: Addresses,
): Pick<Services, 'consoleUrl' | 'isConsoleOn' | 'isConsoleOrigin'> {
  const home = consolePort === undefined ? publicUrl : addresses.console;
  return {
    isConsoleOn,
    consoleUrl: () => `${consoleOrigin ?? home()}${CONSOLE}`,
    // A proxy may change the protocol of the request.
    isConsoleOrigin: (origin, host) =>
      consoleOrigin
        ? origin === consoleOrigin
        : origin === new URL(home()).origin || origin === `https://${host}` || origin === `http://${host}`,
  };
}
