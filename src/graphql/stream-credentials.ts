import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Context } from '../context.ts';
import { isKnown } from '../lib/access.ts';
import { followCredentials } from './follow-credentials.ts';
import { subscribe } from './subscribe.ts';

/** An event stream over HTTP ends with its credentials. */
export async function subscribeWhileCredentialsHold(
  args: ExecutionArgs,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
  const context = args.contextValue as Context;
  const { viewer } = context;
  const stream = await subscribe(args);
  if (!isKnown(viewer) || !isStream(stream)) return stream;
  const end = () => stream.return!();
  const release = await followCredentials(viewer, context, () => void end());
  const bounded: AsyncIterableIterator<ExecutionResult> = {
    async next() {
      const step = await stream.next();
      if (step.done) release();
      return step;
    },
    async return() {
      release();
      return end();
    },
    throw: (error) => stream.throw!(error),
    [Symbol.asyncIterator]: () => bounded,
  };
  return bounded;
}

function isStream(
  result: ExecutionResult | AsyncIterableIterator<ExecutionResult>,
): result is AsyncIterableIterator<ExecutionResult> {
  return Symbol.asyncIterator in result;
}
