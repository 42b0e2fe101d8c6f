import { db } from '../../src/db/client.ts';
import type { DeliveryStatus } from '../../src/generated/prisma/enums.ts';
import { storePushSettings } from '../../src/resolvers/pushes/settings.ts';
import { APPLICATION, running, SEALER } from './app.ts';
import type { Apple } from './apple.ts';
import type { Google } from './google.ts';
import { rest } from './rest.ts';
import { until } from './sockets.ts';
import { sql } from './sql.ts';
import { created } from './stage.ts';
import { apiKey, type Caller } from './users.ts';

/** Sets Apple's stand-in up for the application, as the operator does. */
export function setUpApple({ settings: { endpoint, ca, ...apns } }: Apple, environment = 'development') {
  const operator = { encrypter: SEALER, now: running.now() };
  return storePushSettings({ applicationId: APPLICATION.id, environment, endpoint, ca, apns }, operator);
}

export function setUpGoogle({ url, serviceAccount }: Google, environment = 'development') {
  const operator = { encrypter: SEALER, now: running.now() };
  const fcm = { serviceAccount };
  return storePushSettings({ applicationId: APPLICATION.id, environment, endpoint: url, fcm }, operator);
}

export function setUpWeb(environment = 'development') {
  const operator = { encrypter: SEALER, now: running.now() };
  const web = { subject: 'mailto:push@example.org' };
  return storePushSettings({ applicationId: APPLICATION.id, environment, web }, operator);
}

/** A device token as Apple gives them. */
export const appleToken = (number: number) => number.toString(16).padStart(64, '0');

/** Subscribes a device. @returns the subscription's id */
export async function subscribeDevice(
  as: Caller,
  channel: string,
  token: object,
  environment = 'development',
): Promise<number> {
  const platform = { apns: 'ios', apns_voip: 'ios', gcm: 'android', web: 'web', email: 'web' }[channel];
  const before = (await rest('GET', '/subscriptions', { as })).body.length as number;
  const body = {
    notification_channel: channel,
    push_token: { environment, ...token },
    device: { platform, udid: `${channel}-${before}` },
  };
  const all = await created('/subscriptions', body, as);
  return all.at(-1).subscription.id;
}

/** Has an event sent at once by the key alone. @returns its id */
export async function sendEvent(event: object, as: Caller = apiKey): Promise<number> {
  const body = { environment: 'development', message: 'aGVsbG8gd29ybGQh', ...event };
  return (await created('/events', { event: body }, as)).event.id;
}

/** Waits until an event has been sent so often. @returns its status */
export async function sentEvent(id: number, times = 1, as: Caller = apiKey) {
  const status = async () => (await rest('GET', `/events/${id}/status`, { as })).body.event;
  await until(async () => (await status()).occured_count >= times);
  return status();
}

/** Moves the service's clock on; what is due then is begun at once. */
export function passTime(milliseconds: number): void {
  running.setTime(new Date(running.now().getTime() + milliseconds));
  running.app.services.pushNotifier.wake();
}

/** What the log says of a device, of all sends. */
export function deliveriesTo(subscriptionId: number) {
  return db.pushDelivery.findMany({ where: { subscriptionId }, orderBy: { sendId: 'asc' } });
}

/** Waits until the log says of a device's latest push that it stands like this, after so many attempts. */
export async function delivery(subscriptionId: number, status: DeliveryStatus, attempts = 1) {
  const latest = async () => (await deliveriesTo(subscriptionId)).at(-1);
  await until(async () => {
    const one = await latest();
    return one?.status === status && one.attempts >= attempts;
  });
  return (await latest())!;
}

/** Waits until the stream is read to its end, and every push of a message that was found is done with. */
export async function messagePushesSettled(): Promise<void> {
  await until(async () => {
    const [state] = await sql<{ isRead: boolean; open: number }>(
      `SELECT (SELECT position FROM push_cursor) >= coalesce((SELECT max(position) FROM events_outbox), 0) AS "isRead",
        (SELECT count(*)::int FROM push_sends WHERE finished_at IS NULL) AS open`,
    );
    return state!.isRead && state!.open === 0;
  });
}
