import type { ServerResponse } from 'node:http';

/** Gives the signal that aborts when the connection of a response closes. It is made when it is first asked for. */
export function callerLeft(response: ServerResponse): () => AbortSignal {
  let left: AbortController | undefined;
  return () => {
    if (left) return left.signal;
    const controller = new AbortController();
    left = controller;
    if (response.destroyed) controller.abort();
    else response.once('close', () => controller.abort());
    return controller.signal;
  };
}
