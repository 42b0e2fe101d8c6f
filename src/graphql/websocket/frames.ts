import type { ExecutionResult } from 'graphql';
import { MessageType } from 'graphql-ws';

interface Shared {
  text: string;
  /** The last frame and its id, because generated clients often number their operations alike. */
  id?: string;
  frame?: Buffer;
}

const shared = new WeakMap<ExecutionResult, Shared>();

/** Serializes once for all subscribers that share the result. @param present masks its errors */
function sharedOf(result: ExecutionResult, present: (result: ExecutionResult) => ExecutionResult): Shared {
  let known = shared.get(result);
  if (!known) {
    known = { text: JSON.stringify(present(result)) };
    shared.set(result, known);
  }
  return known;
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

const FINAL_TEXT = 0x81;
const MAX_SHORT = 125;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

/** A final text frame without a mask (RFC 6455, section 5.2). */
export function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const start = length <= MAX_SHORT ? 2 : length <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = FINAL_TEXT;
  if (start === 2) {
    frame[1] = length;
  } else if (start === 4) {
    frame[1] = TWO_BYTES;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = EIGHT_BYTES;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, start);
  return frame;
}
