import type { ServerResponse } from 'node:http';

/** The signal aborts when the response's connection closes. */
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
