import { useState } from 'react';

export interface Draft<Values> {
  /** What the form shows. */
  form: Values;
  /** Only what was typed and differs from what is stored. */
  changes: Partial<Values>;
  isChanged: boolean;
  set: (typed: Partial<Values>) => void;
  /** After it was stored. */
  clear: () => void;
}

/**
 * Keeps what was typed apart from what is stored, so that a form shows changes by others, and neither loses typed
 * values nor writes old values over theirs.
 */
export function useDraft<Values extends object>(stored: Values): Draft<Values> {
  const [typed, setTyped] = useState<Partial<Values>>({});
  const changed = Object.entries(typed).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(stored[name as keyof Values]),
  );
  return {
    form: { ...stored, ...typed },
    changes: Object.fromEntries(changed) as Partial<Values>,
    isChanged: changed.length > 0,
    set: (more) => setTyped((old) => ({ ...old, ...more })),
    clear: () => setTyped({}),
  };
}

export interface Change<Values> {
  input: Partial<Values>;
  /** What it replaces. */
  before: Partial<Values>;
}

export function changeOf<Values extends object>(input: Partial<Values>, stored: Values): Change<Values> {
  const before = Object.fromEntries(Object.keys(input).map((name) => [name, stored[name as keyof Values]]));
  return { input, before: before as Partial<Values> };
}

export const undone = <Values>({ input, before }: Change<Values>): Change<Values> => ({ input: before, before: input });
