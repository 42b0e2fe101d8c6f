const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The first Ctrl-C aborts the signal, so that the command stops gracefully; the second ends the process. */
export interface Interruption {
  signal: AbortSignal;
  forget: () => void;
}

export function onInterruption(): Interruption {
  const controller = new AbortController();
  const abort = () => controller.abort(new Error('stopped'));
  for (const signal of SIGNALS) process.once(signal, abort);
  return {
    signal: controller.signal,
    forget: () => {
      for (const signal of SIGNALS) process.off(signal, abort);
    },
  };
}
