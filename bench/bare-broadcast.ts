import type { BroadcastSettings } from './bare/broadcast.ts';
import { call } from './calls.ts';
import type { Cleanup } from './cleanup.ts';
import { type Started, startScript } from './processes.ts';
import { Messages } from './seeded-sockets.ts';

const ID = '6650f0a1c3d2e4b5a6978801';
const TEXT = 'message 1';
/** What a subscriber of the service receives. */
const FRAME = `{"id":"1","type":"next","payload":{"data":{"messageSent":{"cursor":"12345","dialogId":"${ID}","message":{"id":"${ID}","text":"${TEXT}","senderId":12345}}}}}`;

/** A bare server that sends each message to all of its sockets. @param port undefined: any */
export function startBroadcast(cleanup: Cleanup, port?: number): { start: () => Promise<Started>; messages: Messages } {
  let url = '';
  return {
    start: async () => {
      const settings: BroadcastSettings = { frame: FRAME, text: TEXT, port };
      const started = await startScript(new URL('./bare/broadcast.ts', import.meta.url), settings, cleanup);
      url = started.url;
      return started;
    },
    messages: new Messages((message) => call(url, 201, { method: 'POST', json: { message } })),
  };
}
