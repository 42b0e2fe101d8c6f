import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { AT, json, outcome, replay, useSampleUsers } from '../../support/fixtures/wire-samples.ts';

useApp();
useSampleUsers();

describe('wire samples of devices', () => {
  const item = (id: unknown, udid: string, platform: string, channel: string, bundle: string | null) => ({
    subscription: {
      id,
      device: {
        udid,
        client_identification_sequence: 'seq',
        platform: { name: platform },
        bundle_identifier: bundle,
      },
      notification_channel: { name: channel },
    },
  });
  const android = item(expect.any(Number), 'u1', 'android', 'gcm', 'com.x');
  const iphone = item(expect.any(Number), 'u2', 'ios', 'apns', null);

  test('the samples subscribe a device by a form', async () => {
    const answer = await replay(
      'POST',
      '/subscriptions.json',
      'F',
      'device[platform]=android&device[udid]=u1&notification_channel=gcm&push_token[bundle_identifier]=com.x&push_token[client_identification_sequence]=seq&push_token[environment]=development',
    );
    expect(outcome(answer)).toEqual([201, [android]]);
  });

  test('the samples subscribe a device with a push token', async () => {
    const token = await replay(
      'POST',
      '/push_tokens.json',
      'J',
      '{"push_token":{"environment":"development","client_identification_sequence":"seq"},"device":{"platform":"ios","udid":"u2"}}',
    );
    expect(outcome(token)).toEqual([
      201,
      { push_token: { id: expect.any(Number), environment: 'development', client_identification_sequence: 'seq' } },
    ]);
    const answer = await replay('POST', '/subscriptions.json', 'J', '{"notification_channels":"apns"}');
    expect(outcome(answer)).toEqual([201, [android, iphone]]);
  });

  test('the samples list and delete subscriptions', async () => {
    const listed = await replay('GET', '/subscriptions.json');
    expect(outcome(listed)).toEqual([200, [android, iphone]]);
    const { id } = json(listed)[0].subscription;
    expect(outcome(await replay('DELETE', `/subscriptions/${id}.json`))).toEqual([200, '']);
    expect(outcome(await replay('GET', '/subscriptions.json'))).toEqual([200, [iphone]]);
  });
});

describe('wire samples of events', () => {
  let id: number;

  test('the samples create events', async () => {
    const answer = await replay(
      'POST',
      '/events.json',
      'J',
      '{"event":{"notification_type":"push","push_type":"gcm","user":{"ids":[7,8],"tags":{"any":["a","b"]}},"environment":"development","message":"aGVsbG8gd29ybGQh"}}',
    );
    expect(outcome(answer)).toEqual([
      201,
      {
        event: {
          id: expect.any(Number),
          event_type: 'one_shot',
          message: 'data.message=aGVsbG8rd29ybGQlMjE=',
          date: null,
          period: null,
          name: null,
          occured_count: 0,
          created_at: AT,
          updated_at: AT,
          end_date: null,
          active: true,
          application_id: 92,
          user_id: 7,
          kind: 'API',
          environment: 'development',
          tag_query: '{"any":["a","b"]}',
          notification_channel: { name: 'gcm' },
        },
      },
    ]);
    ({ id } = json(answer).event);
  });

  test('the samples show, send, list and delete events', async () => {
    const status = async () => json(await replay('GET', `/events/${id}/status.json`)).event;
    while ((await status()).active);
    expect(await status()).toEqual({
      id,
      active: false,
      occured_count: 1,
      last_sent_at: 1_795_196_819,
      recipients: 0,
      delivered: 0,
      failed: 0,
    });
    const shown = await replay('GET', `/events/${id}.json`);
    expect(json(shown).event).toMatchObject({ id, active: false, occured_count: 1 });
    const listed = await replay('GET', '/events.json?page=1&per_page=25');
    expect(outcome(listed)).toEqual([200, { current_page: 1, per_page: 25, total_entries: 1, items: [json(shown)] }]);
    expect(outcome(await replay('DELETE', `/events/${id}.json`))).toEqual([200, '']);
  });
});
