import { AtriumError } from '@atrium/client';

/** What an operation needs before it can be repeated. */
export type Prompt = 'sign-in' | 'confirmation' | 'reason';

export class CancelledError extends Error {
  constructor() {
    super('Cancelled');
  }
}

interface Pending {
  prompt: Prompt;
  done: Promise<void>;
  settle: (isDone: boolean) => void;
}

/** The dialog that is open; all operations that need it wait for it. */
let pending: Pending | undefined;
const listeners = new Set<() => void>();

export const accessPrompt = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (): Prompt | undefined => pending?.prompt,
  /** Called by the dialog. */
  settle(isDone: boolean): void {
    pending?.settle(isDone);
  },
};

const REASON = 'atrium.console.reason';

/** Why the administrator reads messages, for this tab. */
export const reason = {
  get current(): string | undefined {
    return sessionStorage.getItem(REASON) ?? undefined;
  },
  set(text: string): void {
    sessionStorage.setItem(REASON, text);
    notify();
  },
  subscribe: (listener: () => void) => accessPrompt.subscribe(listener),
};

/** Opens the question for a reason, unless it was answered. @throws {CancelledError} */
export async function askForReason(): Promise<void> {
  if (reason.current === undefined) await ask('reason');
}

/** Runs the operation, asks the person for what is missing, and runs it again. @throws {CancelledError} */
export async function withAccess<Result>(run: () => Promise<Result>, needsReason = false): Promise<Result> {
  if (needsReason) await askForReason();
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const prompt = promptFor(error);
      if (!prompt) throw error;
      await ask(prompt);
    }
  }
}

function promptFor(error: unknown): Prompt | undefined {
  if (!(error instanceof AtriumError)) return undefined;
  if (error.code === 'CONFIRMATION_REQUIRED') return 'confirmation';
  if (error.code === 'REASON_REQUIRED') return 'reason';
  return error.reason === 'CONSOLE_SIGN_IN_REQUIRED' ? 'sign-in' : undefined;
}

async function ask(prompt: Prompt): Promise<void> {
  while (pending && pending.prompt !== prompt) await pending.done.catch(() => {});
  pending ??= open(prompt);
  await pending.done;
}

function open(prompt: Prompt): Pending {
  let resolve = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<void>((...ends) => {
    [resolve, reject] = ends;
  });
  promise.catch(() => {}); // operations that wait report it
  const settle = (isDone: boolean) => {
    pending = undefined;
    notify();
    if (isDone) resolve();
    else reject(new CancelledError());
  };
  queueMicrotask(notify);
  return { prompt, done: promise, settle };
}

function notify(): void {
  for (const listener of listeners) listener();
}
