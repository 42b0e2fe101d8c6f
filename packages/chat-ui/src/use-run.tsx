import { AtriumError, type SignInChallenge } from '@atrium/client';
import { useState } from 'react';
import { useLabels } from './labels.ts';
import { sentenceOf } from './sign-in-errors.ts';

export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p className="atrium-problem" role="alert">
      {text}
    </p>
  );
}

/**
 * Runs one request at a time, and says why it failed, or that a second factor is needed.
 * @param refused for what the service or the device does not accept
 */
export function useRun(refused?: string) {
  const labels = useLabels();
  const [problem, setProblem] = useState<string>();
  const [challenge, setChallenge] = useState<SignInChallenge>();
  const [isBusy, setBusy] = useState(false);
  const demand = (error: unknown) => {
    if (!(error instanceof AtriumError && error.challenge)) throw error;
    setChallenge(error.challenge);
  };
  const run = async (request: () => Promise<unknown>, wrong = refused) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await request().catch(demand);
    } catch (error) {
      setProblem(sentenceOf(error, labels, wrong));
    }
    setBusy(false);
  };
  return { problem, isBusy, challenge, run, demand, say: setProblem, forget: () => setChallenge(undefined) };
}
