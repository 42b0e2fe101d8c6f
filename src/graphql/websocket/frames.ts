import type { ExecutionResult } from 'graphql';
import { MessageType } from 'graphql-ws';
import { Sender } from 'ws';

declare module 'ws' {
  /** Exported by `ws`, but not by its types; engine.io shares frames in the same way. */
  class Sender {
    static frame(data: Buffer, options: typeof TEXT): Buffer[];
    sendFrame(frame: Buffer[], done?: () => void): void;
  }
  interface WebSocket {
    _sender: Sender;
  }
}

interface Shared {
  text: string;
  /** The last frame and its id, because generated clients often number their operations alike. */
  id?: string;
  frame?: Buffer;
}

const shared = new WeakMap<ExecutionResult, Shared>();

/** Serializes once for all subscribers that share the result. @param present masks its errors */
function sharedOf(result: ExecutionResult, present: (result: ExecutionResult) => ExecutionResult): Shared {
  let cached = shared.get(result);
  if (!cached) {
    cached = { text: JSON.stringify(present(result)) };
    shared.set(result, cached);
  }
  return cached;
}

export function keepText(result: ExecutionResult, text: string): void {
  shared.set(result, { text });
}

/** A `next` message in a frame. Subscribers with the same result and id share the frame. */
export function nextFrame(
  id: string,
  result: ExecutionResult,
  present: (result: ExecutionResult) => ExecutionResult,
): Buffer {
  const known = sharedOf(result, present);
  if (known.frame === undefined || known.id !== id) {
    known.frame = frameOf(`{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":${known.text}}`);
    known.id = id;
  }
  return known.frame;
}

const TEXT = { fin: true, opcode: 1, mask: false, rsv1: false, readOnly: true } as const;

/** The frame of a text message, for `sendFrame` of the sender of any socket. */
export function frameOf(text: string | Buffer): Buffer {
  return Buffer.concat(Sender.frame(typeof text === 'string' ? Buffer.from(text) : text, TEXT));
}
