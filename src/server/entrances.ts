import type { XmppConfig } from '../config.ts';
import type { Services } from '../context.ts';
import { boundUnread } from '../platform/http/unread-responses.ts';
import { ChatEntrances } from './chat-entrances.ts';
import { createHandlers, type HandlerSettings, type Handlers } from './handlers.ts';
import { createHttpServer, type Entrance } from './server.ts';

export interface EntranceSettings {
  host: string;
  port: number;
  /** Undefined: the console has no port of its own. */
  consolePort: number | undefined;
  xmpp: XmppConfig | undefined;
  dataDir: string;
}

/** Replaces an HTTP server. */
export type CreateEntrance = (handlers: Handlers) => Entrance;

export interface EmbeddedEntrances {
  main: CreateEntrance;
  /** Undefined: the console is served with everything else, or on its port. */
  console: CreateEntrance | undefined;
}

export interface OpenAddresses {
  main: string;
  console: string | undefined;
  /** Of the ports of the chat for legacy clients. */
  chat: readonly string[];
}

export interface Entrances extends Pick<Handlers, 'sockets' | 'closeConnections'> {
  /** @returns the address of the service, and that of the console if it has its own */
  open: () => Promise<OpenAddresses>;
  /** Open streams of the chat. */
  streams: () => number;
  close: Entrance['close'];
  /** After the last request. */
  stop: () => void;
}

/** One entrance for all requests, or another one for those of the console, which has no metrics. */
export function createEntrances(
  services: Services,
  handlerSettings: Omit<HandlerSettings, 'unread'>,
  { host, port, consolePort, xmpp, dataDir }: EntranceSettings,
  embedded?: EmbeddedEntrances,
): Entrances {
  const listenAt = (port: number) => (handlers: Handlers) => createHttpServer(handlers, { host, port });
  const createMain = embedded?.main ?? listenAt(port);
  const createConsole = embedded?.console ?? (consolePort === undefined ? undefined : listenAt(consolePort));
  const unread = boundUnread(services.networkOf);
  const settings = { ...handlerSettings, unread };
  const chat = new ChatEntrances(services, { xmpp, host, dataDir }, settings);
  const main = createHandlers(createConsole ? { ...services, isConsoleOn: false } : services, {
    ...settings,
    chat: chat.isOn ? chat : undefined,
  });
  const handlers = [main];
  const entrances = [createMain(main)];
  if (createConsole) {
    const withConsole = createHandlers(services, { ...settings, isMetricsOn: false });
    handlers.push(withConsole);
    entrances.push(createConsole(withConsole));
  }
  const sockets = [...handlers.map((one) => one.sockets), chat];
  return {
    open: async () => {
      await chat.load();
      return openAll(entrances, chat);
    },
    close: (timeoutMs) => closeAll(entrances, timeoutMs),
    sockets: {
      count: () => handlers.reduce((sum, one) => sum + one.sockets.count(), 0),
      closeWithin: async (milliseconds) => {
        await Promise.all(sockets.map((one) => one.closeWithin(milliseconds)));
      },
      stop: async (timeoutMs) => {
        await Promise.all(sockets.map((one) => one.stop(timeoutMs)));
      },
    },
    streams: () => chat.count(),
    closeConnections: () => {
      for (const { closeConnections } of handlers) closeConnections();
    },
    stop: unread.stop,
  };
}

/** If one does not open, closes those before it. */
async function openAll(entrances: readonly Entrance[], chat: ChatEntrances): Promise<OpenAddresses> {
  const addresses: string[] = [];
  try {
    for (const { open } of entrances) addresses.push(await open());
    const [main, console] = addresses;
    return { main: main!, console, chat: await chat.open() };
  } catch (error) {
    await closeAll(entrances.slice(0, addresses.length), 0);
    throw error;
  }
}

async function closeAll(entrances: readonly Entrance[], timeoutMs: number): Promise<void> {
  await Promise.all(entrances.map(({ close }) => close(timeoutMs)));
}
