import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import { RateLimitedError } from '../../lib/errors.ts';
import { OF_APPLICATION, takeDailyShare } from '../users/daily-usage.ts';

/** Mails to unproven addresses with texts of the application, per application and day. More have the default text. */
const MAX_OWN_TEXTS = 30;

/** Whether a mail to an unproven address may have texts of the application. Counts it. */
export async function takeOwnText(
  applicationId: number,
  services: Pick<Context, 'now' | 'rateLimits'>,
): Promise<boolean> {
  const share = { kind: 'ownTexts', amount: 1, quota: MAX_OWN_TEXTS } as const;
  return takeDailyShare(db, { applicationId, userId: OF_APPLICATION }, share, services).then(
    () => true,
    (error: unknown) => {
      if (error instanceof RateLimitedError) return false;
      throw error;
    },
  );
}
