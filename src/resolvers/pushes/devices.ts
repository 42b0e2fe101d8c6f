import { query } from '../../db/query.ts';
import type { Push } from '../../gateways/push/gateway.ts';
import type { PushSend } from '../../generated/prisma/client.ts';
import type { PushChannel, PushEnvironment } from './channels.ts';
import type { DeliverJob } from './context.ts';

/** A device that is still to be served, as it is now. */
export interface Device {
  subscriptionId: number;
  userId: number;
  channel: PushChannel;
  attempts: number;
  /** Nulls: the subscription is gone. */
  environment: PushEnvironment | null;
  sequence: string | null;
  keys: Push['keys'];
  bundleIdentifier: string | null;
  isSubscribed: boolean;
  email: string | null;
  /** A later push of the same dialog is on its way to the device. */
  isOutdated: boolean;
}

/** Devices of a job that are neither served nor set apart. */
export function readDevices({ applicationId, sendId, ids }: DeliverJob, { dialogId }: PushSend): Promise<Device[]> {
  return query<Device>`
    SELECT d.subscription_id AS "subscriptionId", d.user_id AS "userId", d.channel::text AS channel, d.attempts,
      s.environment::text AS environment, s.sequence, s.keys, s.bundle_identifier AS "bundleIdentifier",
      s.id IS NOT NULL AS "isSubscribed", u.email,
      ${dialogId}::text IS NOT NULL AND EXISTS (
        SELECT FROM push_sends n JOIN push_deliveries l ON l.application_id = n.application_id AND l.send_id = n.id
        WHERE n.application_id = d.application_id AND n.dialog_id = ${dialogId}::text AND n.id > d.send_id
          AND l.subscription_id = d.subscription_id) AS "isOutdated"
    FROM push_deliveries d
    LEFT JOIN push_subscriptions s ON s.application_id = d.application_id AND s.id = d.subscription_id
      AND s.user_id = d.user_id
    LEFT JOIN users u ON u.application_id = d.application_id AND u.id = d.user_id
    WHERE d.application_id = ${applicationId} AND d.send_id = ${sendId} AND d.subscription_id = ANY(${ids}::int[])
      AND d.status = 'pending' AND d.retry_at IS NULL
    ORDER BY d.subscription_id`;
}
