import type { ServerResponse } from 'node:http';

/** @returns the signal, created on first use, that aborts when the response's connection closes */
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
