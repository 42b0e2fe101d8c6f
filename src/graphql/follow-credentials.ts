import type { Services } from '../context.ts';
import type { KnownViewer } from '../lib/access.ts';
import { SECOND } from '../lib/time.ts';
import { findValidity } from '../resolvers/sessions/validity.ts';

/**
 * Calls back once when the viewer's credentials end: by logout or login with the same token, revocation of the key,
 * on whatever process, or by themselves. It may call back before it returns. @returns stops following
 */
export async function followCredentials(
  viewer: KnownViewer,
  services: Services,
  onEnd: () => void,
): Promise<() => void> {
  const { hub, log, now } = services;
  let expiresAt: Date | undefined;
  let isFollowing = true;
  // Requests elsewhere with the same token may have restarted its lifetime, so the session itself is asked.
  const check = async () => {
    expiresAt = undefined;
    try {
      const validity = await findValidity(viewer, services);
      expiresAt = validity?.expiresAt;
      if (!validity && isFollowing) end();
    } catch (error) {
      log.warn({ err: error }, 'the end of credentials could not be checked; trying again');
      expiresAt = now();
    }
  };
  const stopListening = await hub.onCredentialsChanged(viewer, () => void check());
  const timer = setInterval(() => {
    if (expiresAt && expiresAt <= now()) void check();
  }, SECOND).unref();
  const stop = () => {
    isFollowing = false;
    clearInterval(timer);
    stopListening();
  };
  const end = () => {
    stop();
    onEnd();
  };
  await check(); // they may have ended before anybody listened
  return stop;
}
