const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The first Ctrl-C, by which a command stops in good order; the second ends it at once. */
export interface Interruption {
  signal: AbortSignal;
  /** Stops listening. */
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
