import fc from 'fast-check';
import { running } from '../app/app.ts';
import { field, NO_PAGE, ONE_PAGE, operation, page } from './operation.ts';
import { mostly, perhaps, ref, text, wellFormed } from './values.ts';

const event = ref('event');
const subscription = ref('subscription');
const pushToken = ref('pushToken');
const user = ref('user');

const device = fc.record({
  platform: mostly(fc.constantFrom('android', 'ios', 'toaster')),
  udid: mostly(fc.constantFrom('u1', 'u2')),
});
const token = field(
  fc.record({
    environment: mostly(fc.constantFrom('development', 'production', 'none')),
    clientIdentificationSequence: mostly(fc.constantFrom('seq-1', 'seq-2')),
  }),
  ({ environment, clientIdentificationSequence: client_identification_sequence }) => ({
    push_token: { environment, client_identification_sequence },
  }),
);
const channels = field(fc.constantFrom(['gcm'], ['gcm'], ['apns'], ['gcm', 'email'], ['none'], []), (names) => ({
  notification_channels: names.join(','),
}));
const android = {
  device: { platform: 'android', udid: 'u1' },
  token: { environment: 'development', clientIdentificationSequence: 'seq-2' },
};

/** Seconds from now; far ahead, so that events remain scheduled however long the test takes. */
const later = fc.constantFrom(864_000, 1_000_000);
const moment = (name: 'date' | 'endDate', legacy: string, seconds: fc.Arbitrary<number | undefined>) => {
  const from = (ahead: number) => Math.floor(running.now().getTime() / 1000) + ahead;
  return field(
    seconds,
    (ahead) => ({ [legacy]: from(ahead) }),
    (ahead) => ({ [name]: from(ahead) }),
  );
};
const message = mostly(fc.constantFrom('aGVsbG8gd29ybGQh', 'no base64!'));
const schedule = field(
  fc.constantFrom<{ eventType: string; period?: number }>(
    { eventType: 'one_shot' },
    { eventType: 'period_date', period: 86_400 },
    { eventType: 'one_shot' },
    { eventType: 'period_date', period: 30 },
  ),
  ({ eventType: event_type, ...more }) => ({ notification_type: 'push', event_type, ...more }),
  (given) => ({ notificationType: 'push', ...given }),
);
const push = { pushType: 'gcm', date: 864_000, schedule: { eventType: 'one_shot' }, message: 'aGVsbG8gd29ybGQh' };

export const pushes = [
  operation('post /push_tokens', { device, token })
    .with({ learn: { pushToken: ({ push_token }) => push_token.id } })
    .served('bob', android)
    .refused('bob', { ...android, token: { ...android.token, environment: 'none' } }),
  operation('post /subscriptions', { channels, device, token })
    .with({
      learn: { subscription: (body) => body.map((one: { subscription: { id: number } }) => one.subscription.id) },
    })
    .served('bob', { channels: ['gcm'], ...android, device: { platform: 'android', udid: 'u2' } })
    .refused('bob', { channels: ['none'], ...android }),
  operation('get /subscriptions').served('bob').refused('key'),
  operation('delete /subscriptions/:id')
    .served('alice', { id: subscription(0) })
    .refused('alice', { id: subscription(0) }),
  operation('delete /push_tokens/:id')
    .served('alice', { id: pushToken(0) })
    .refused('alice', { id: pushToken(1) }),
  operation('post /events', {
    users: field(
      mostly(fc.array(wellFormed('user'), { minLength: 1, maxLength: 2 })),
      (ids) => ({ user: { ids: ids.join(',') } }),
      (userIds) => ({ userIds }),
    ),
    pushType: mostly(fc.constantFrom('gcm', 'apns', 'email', 'none')),
    environment: mostly(fc.constantFrom('development', 'none')),
    date: moment('date', 'date', later),
    tags: field(
      perhaps(fc.constantFrom<object>({ any: ['even'] }, { all: ['even', 'g1'], exclude: ['vip'] })),
      (tags) => ({ user: { tags } }),
      (tags) => ({ tags, tagQuery: JSON.stringify(tags) }),
    ),
    end: moment('endDate', 'end_date', perhaps(fc.constantFrom(900_000, 2_000_000))),
    schedule,
    name: perhaps(text),
    message,
  })
    .with({ wrapper: 'event', learn: { event: (body) => [body].flat().map((one) => one.event.id) } })
    .served('key', { users: [user(1)], environment: 'development', name: 'hello', ...push })
    .refused('key', { users: [user(1)], environment: 'none', ...push }),
  operation('get /events', { page }).served('key', { page: ONE_PAGE }).refused('key', { page: NO_PAGE }),
  operation('get /events/:id')
    .served('key', { id: event(1) })
    .refused('key', { id: event(0) }),
  operation('put /events/:id', {
    active: fc.constantFrom(undefined, false),
    name: perhaps(text),
    message: perhaps(message),
    date: moment('date', 'date', perhaps(later)),
  })
    .with({ wrapper: 'event' })
    .served('key', { id: event(1), active: false })
    .refused('key', { id: event('unknown'), active: false }),
  operation('get /events/:id/status')
    .served('key', { id: event(1) })
    .refused('alice', { id: event(1) }),
  operation('delete /events/:id')
    .served('key', { id: event(1) })
    .refused('bob', { id: event(0) }),
];
