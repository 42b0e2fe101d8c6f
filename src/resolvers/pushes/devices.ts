import { Prisma } from '../../db/client.ts';
import { column, columns, columnsOf, orNull, type RowOf, withJson } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import type { BrowserKeys } from '../../gateways/push/gateway.ts';
import type { PushSend } from '../../generated/prisma/client.ts';
import type { DeliverJob } from './context.ts';

const DELIVERY = columnsOf('PushDelivery', 'd', ['subscriptionId', 'userId', 'channel', 'attempts']);
const SUBSCRIPTION = withJson<{ keys: BrowserKeys | null }>()(
  orNull(columnsOf('PushSubscription', 's', ['environment', 'sequence', 'keys', 'bundleIdentifier'])),
);
const IS_SUBSCRIBED = columns({ isSubscribed: ['boolean', 's.id IS NOT NULL'] });
const EMAIL = orNull(columnsOf('User', 'u', ['email']));

export type Device = RowOf<[typeof DELIVERY, typeof SUBSCRIPTION, typeof IS_SUBSCRIBED, typeof EMAIL]> & {
  isOutdated: boolean;
};

/** Devices without an outcome or a scheduled retry. */
export function readDevices({ applicationId, sendId, ids }: DeliverJob, { dialogId }: PushSend): Promise<Device[]> {
  const isOutdated = Prisma.sql`${dialogId}::text IS NOT NULL AND EXISTS (
    SELECT FROM push_sends n JOIN push_deliveries l ON l.application_id = n.application_id AND l.send_id = n.id
    WHERE n.application_id = d.application_id AND n.dialog_id = ${dialogId}::text AND n.id > d.send_id
      AND l.subscription_id = d.subscription_id)`;
  return query`
    SELECT ${DELIVERY}, ${SUBSCRIPTION}, ${IS_SUBSCRIBED}, ${EMAIL}, ${column('isOutdated', 'boolean', isOutdated)}
    FROM push_deliveries d
    LEFT JOIN push_subscriptions s ON s.application_id = d.application_id AND s.id = d.subscription_id
      AND s.user_id = d.user_id
    LEFT JOIN users u ON u.application_id = d.application_id AND u.id = d.user_id
    WHERE d.application_id = ${applicationId} AND d.send_id = ${sendId} AND d.subscription_id = ANY(${ids}::int[])
      AND d.status = 'pending' AND d.retry_at IS NULL
    ORDER BY d.subscription_id`;
}
