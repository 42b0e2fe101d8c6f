import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Context } from '../context.ts';
import type { ViewerSession } from '../lib/access.ts';
import { SECOND } from '../lib/time.ts';
import { sessionExpiry } from '../resolvers/sessions/authenticate.ts';
import { subscribe } from './subscribe.ts';

/** A stream of events over HTTP lives no longer than the session it was opened with. */
export async function subscribeWhileSessionLasts(
  args: ExecutionArgs,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
  const context = args.contextValue as Context;
  const stream = await subscribe(args);
  const session = 'session' in context.viewer ? context.viewer.session : undefined;
  if (!session || !isStream(stream)) return stream;
  const end = () => stream.return!();
  const release = await followSession(session, context, () => void end());
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

/** Calls back when the session ends, by whatever request on whatever process, or by itself. */
async function followSession(session: ViewerSession, context: Context, onEnd: () => void): Promise<() => void> {
  const { viewer, hub, log, now } = context;
  const applicationId = 'applicationId' in viewer ? viewer.applicationId : 0;
  let expiresAt: Date | undefined = session.expiresAt;
  const check = async () => {
    try {
      expiresAt = await sessionExpiry(session.token, context);
      if (!expiresAt) onEnd();
    } catch (error) {
      log.warn({ err: error }, 'the end of a session could not be checked; trying again');
    }
  };
  const stopListening = await hub.onSessionEnded(applicationId, session.id, onEnd);
  await check(); // it may have ended while the stream was opened
  const timer = setInterval(() => {
    if (expiresAt && expiresAt <= now()) void check();
  }, SECOND).unref();
  return () => {
    clearInterval(timer);
    stopListening();
  };
}
