import fc from 'fast-check';
import { running } from '../../support/app/app.ts';
import {
  type Body,
  bit,
  command,
  flag,
  given,
  mostly,
  pageOf,
  pages,
  perhaps,
  pick,
  pickNumber,
  remember,
  text,
} from './command.ts';
import type { ParityFixture, Pick } from './fixture.ts';

const device = {
  platform: mostly(fc.constantFrom('android', 'ios', 'toaster')),
  udid: mostly(fc.constantFrom('u1', 'u2')),
};
const token = {
  environment: mostly(fc.constantFrom('development', 'production', 'none')),
  sequence: mostly(fc.constantFrom('seq-1', 'seq-2')),
};
const channels = fc.constantFrom(['gcm'], ['gcm'], ['apns'], ['gcm', 'email'], ['none'], []);

function byId(kind: 'subscription' | 'pushToken' | 'event') {
  return (fixture: ParityFixture, { one }: { one: Pick }) => {
    const id = fixture.pick(kind, one);
    return { path: { id }, variables: { id } };
  };
}

export const deviceCommands = [
  command(
    'post /subscriptions',
    { channels, ...device, ...token },
    (_world, { channels, platform, udid, environment, sequence }) => ({
      json: {
        notification_channels: channels.join(','),
        push_token: { environment, client_identification_sequence: sequence },
        device: { platform, udid },
      },
      variables: {
        input: {
          channels,
          token: { environment, clientIdentificationSequence: sequence },
          device: { platform, udid },
        },
      },
    }),
    {
      learn: (fixture, body) => {
        for (const one of body) remember(fixture, 'subscription', one.subscription.id);
      },
    },
  ),
  command('get /subscriptions', {}, () => ({ variables: {} })),
  command('delete /subscriptions/:id', { one: pick }, byId('subscription')),
  command(
    'post /push_tokens',
    { ...device, ...token },
    (_world, { platform, udid, environment, sequence }) => ({
      json: {
        push_token: { environment, client_identification_sequence: sequence },
        device: { platform, udid },
      },
      variables: {
        input: { token: { environment, clientIdentificationSequence: sequence }, device: { platform, udid } },
      },
    }),
    { learn: (fixture, body) => remember(fixture, 'pushToken', body.push_token.id) },
  ),
  command('delete /push_tokens/:id', { one: pick }, byId('pushToken')),
];

/** Seconds from now; far ahead, so that events remain scheduled however long the test takes. */
const later = fc.constantFrom(864_000, 1_000_000);
const fromNow = (seconds: number | undefined) =>
  seconds === undefined ? undefined : Math.floor(running.now().getTime() / 1000) + seconds;
const message = mostly(fc.constantFrom('aGVsbG8gd29ybGQh', 'no base64!'));

export const eventCommands = [
  command(
    'post /events',
    {
      users: mostly(fc.array(pickNumber, { minLength: 1, maxLength: 2 })),
      pushType: mostly(fc.constantFrom('gcm', 'apns', 'email', 'none')),
      environment: mostly(fc.constantFrom('development', 'none')),
      date: later,
      tags: perhaps(fc.constantFrom({ any: ['even'] }, { all: ['even', 'g1'], exclude: ['vip'] })),
      end: perhaps(fc.constantFrom(900_000, 2_000_000)),
      isPeriodic: flag,
      period: fc.constantFrom(86_400, 30),
      name: perhaps(text),
      message,
    },
    (fixture, { users, tags, end, pushType, environment, date, isPeriodic, period, name, message }) => {
      const ids = users?.map((one) => fixture.pick('user', one));
      const eventType = isPeriodic ? 'period_date' : 'one_shot';
      const common = { environment, name, message, date: fromNow(date), ...(isPeriodic ? { period } : {}) };
      const endDate = fromNow(end);
      return {
        json: {
          event: {
            ...common,
            notification_type: 'push',
            push_type: pushType,
            event_type: eventType,
            end_date: endDate,
            user: given({ ids: ids?.join(','), tags }),
          },
        },
        variables: {
          input: {
            ...common,
            notificationType: 'push',
            pushType,
            eventType,
            endDate,
            userIds: ids,
            tags,
            tagQuery: tags && JSON.stringify(tags),
          },
        },
      };
    },
    {
      learn: (fixture, body) => {
        for (const one of [body].flat() as Body[]) remember(fixture, 'event', one.event.id);
      },
    },
  ),
  command('get /events', pages, (_world, page) => {
    const { legacy, variables } = pageOf(page);
    return { query: legacy, variables };
  }),
  command('get /events/:id', { one: pick }, byId('event')),
  command(
    'put /events/:id',
    {
      one: pick,
      active: fc.constantFrom(undefined, false),
      name: perhaps(text),
      message: perhaps(message),
      date: perhaps(later),
    },
    (fixture, { one, active, name, message, date }) => {
      const id = fixture.pick('event', one);
      const changes = { name, message, date: fromNow(date) };
      return {
        path: { id },
        json: { event: { ...changes, active: bit(active) } },
        variables: { id, input: { ...changes, active } },
      };
    },
  ),
  command('delete /events/:id', { one: pick }, byId('event')),
  command('get /events/:id/status', { one: pick }, byId('event')),
];

const assistant = fc.constantFrom('helper', 'helper', 'helper', 'helper', 'unknown', undefined);
const idOf = (fixture: ParityFixture, which: string | undefined) =>
  which === 'helper' ? fixture.assistantId : which && '0123456789abcdef01234567';
const history = perhaps(
  fc.constantFrom<unknown>([{ role: 'user', message: 'before' }], [{ role: 'king', message: 'before' }], 'none'),
);

export const aiCommands = [
  command(
    'post /ai/ai_extensions/ai_answer_assist',
    { assistant, message: mostly(text), history },
    (fixture, { assistant, message, history }) => {
      const assistantId = idOf(fixture, assistant);
      return {
        json: { smart_chat_assistant_id: assistantId, message, history },
        variables: { input: { assistantId, message, history } },
      };
    },
  ),
  command(
    'post /ai/ai_extensions/ai_summarize',
    { assistant, dialog: mostly(pick) },
    (fixture, { assistant, dialog }) => {
      const assistantId = idOf(fixture, assistant);
      const dialogId = dialog && fixture.pick('dialog', dialog);
      return {
        json: { smart_chat_assistant_id: assistantId, dialog_id: dialogId },
        variables: { input: { assistantId, dialogId } },
      };
    },
  ),
  command(
    'post /ai/ai_extensions/ai_translate',
    { assistant, text: mostly(text), language: mostly(fc.constantFrom('de', 'German')) },
    (fixture, { assistant, text, language }) => {
      const assistantId = idOf(fixture, assistant);
      return {
        json: { smart_chat_assistant_id: assistantId, text, to_language: language },
        variables: { input: { assistantId, text, toLanguage: language } },
      };
    },
  ),
  command(
    'post /ai/ai_extensions/ai_gateway',
    {
      assistant,
      messages: mostly(
        fc.constantFrom<unknown>(
          [{ role: 'user', content: 'hello' }],
          [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
          [{ role: 'king', content: 'hello' }],
          [],
          'none',
        ),
      ),
    },
    (fixture, { assistant, messages }) => {
      const assistantId = idOf(fixture, assistant);
      return {
        json: { smart_chat_assistant_id: assistantId, messages },
        variables: { input: { assistantId, messages } },
      };
    },
  ),
];
