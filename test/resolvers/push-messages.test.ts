import { expect, test } from 'vitest';
import { apnsPayload, isSilent } from '../../src/gateways/push/apns.ts';
import { emailText } from '../../src/gateways/push/email.ts';
import { fcmData } from '../../src/gateways/push/fcm.ts';
import { formEscape } from '../../src/gateways/push/stored-message.ts';
import { webPayload } from '../../src/gateways/push/web.ts';
import { PushChannel, PushProvider } from '../../src/generated/prisma/enums.ts';
import { CONFIGURED_PROVIDERS, PUSH_CHANNELS, storedMessage } from '../../src/resolvers/pushes/channels.ts';

test('the code declares every channel and provider of the database, in the same order', () => {
  expect(PUSH_CHANNELS).toEqual(Object.values(PushChannel));
  expect(CONFIGURED_PROVIDERS.map(({ name }) => name)).toEqual(Object.values(PushProvider));
});

const content = (stored: string) => ({ title: '', stored });
const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');

test.each<[name: string, channel: PushChannel, given: string, stored: string]>([
  ['the published sample for gcm', 'gcm', 'aGVsbG8gd29ybGQh', 'data.message=aGVsbG8rd29ybGQlMjE='],
  ['the published sample for apns', 'apns', 'aGVsbG8gd29ybGQh', 'payload=eyJhcHMiOnsiYWxlcnQiOiJoZWxsbyB3b3JsZCEifX0='],
  ['apns_voip as apns', 'apns_voip', 'aGVsbG8gd29ybGQh', 'payload=eyJhcHMiOnsiYWxlcnQiOiJoZWxsbyB3b3JsZCEifX0='],
  ['a message with its own prefix', 'apns', 'payload=e30=', 'payload=e30='],
  ['a message with the prefix of gcm', 'apns', 'data.message=eA==', 'data.message=eA=='],
  ['a message with the prefix of apns', 'gcm', 'payload=e30=', 'payload=e30='],
  [
    'an object for apns',
    'apns',
    base64({
      message: 'Hi',
      ios_badge: 2,
      ios_sound: 'x.wav',
      ios_content_available: 1,
      ios_mutable_content: 1,
      ios_category: 'C',
      ios_other: 1,
      user_id: 7,
      aps: { 'thread-id': 't' },
    }),
    `payload=${base64(
      '{"aps":{"thread-id":"t","alert":"Hi","badge":2,"sound":"x.wav","content-available":1,"mutable-content":1,"category":"C"},"user_id":7}',
    )}`,
  ],
  [
    'an object for gcm',
    'gcm',
    base64({ message: 'a b!', ios_badge: 2, user_id: 7, more: { x: 1 } }),
    `data.message=${base64('a+b%21')}&data.user_id=${base64('7')}&data.more=${base64('%7B%22x%22%3A1%7D')}`,
  ],
  ['an object without a message', 'gcm', base64({ x: 'y' }), 'data.message=&data.x=eQ=='],
  ['text that is not Base64', 'gcm', 'hello', `data.message=${base64('hello')}`],
  ['Base64 of bytes that are not UTF-8', 'apns', 'abcd', `payload=${base64('{"aps":{"alert":"abcd"}}')}`],
  ['Base64 without padding', 'apns', 'aGVsbG8', `payload=${base64('{"aps":{"alert":"hello"}}')}`],
  ['Base64 with wrong padding', 'gcm', 'aGVsbG8==', `data.message=${base64(formEscape('aGVsbG8=='))}`],
  ['Base64 with line breaks', 'apns', 'aGVs\nbG8=', `payload=${base64('{"aps":{"alert":"hello"}}')}`],
  ['a JSON array', 'apns', base64('[1]'), `payload=${base64('{"aps":{"alert":"[1]"}}')}`],
  ['truncated JSON', 'apns', base64('{"a"'), `payload=${base64('{"aps":{"alert":"{\\"a\\""}}')}`],
  ['text for a browser', 'web', base64('hé'), `payload=${base64('{"message":"hé"}')}`],
  [
    'an object for a mailbox',
    'email',
    base64({ message: 'm', ios_x: 1, y: 2 }),
    `payload=${base64('{"message":"m","y":2}')}`,
  ],
])('storedMessage converts %s (channel %s)', (_name, channel, given, stored) => {
  expect(storedMessage(channel, given)).toBe(stored);
});

test('formEscape leaves letters, digits and four other characters unescaped', () => {
  expect(formEscape("aZ09_.-~ !'()*+%é😀&=")).toBe('aZ09_.-~+%21%27%28%29%2A%2B%25%C3%A9%F0%9F%98%80%26%3D');
});

test.each(['hello world!', "it's 50% + (more)*", 'é😀', ''])('%j arrives unchanged at an Android client', (text) => {
  expect(fcmData(content(storedMessage('gcm', base64({ message: text, k: text }))))).toEqual({
    message: text,
    k: text,
  });
});

test('fcmData unpacks messages in the forms of other channels', () => {
  expect(fcmData(content('data.message=aGVsbG8rd29ybGQlMjE%3D&data.a=eA=='))).toEqual({
    message: 'hello world!',
    a: 'x',
  });
  expect(fcmData(content('payload=eA=='))).toEqual({ message: 'x' });
});

test('APNs receives the object from every stored form', () => {
  expect(apnsPayload(content(storedMessage('apns', base64('hi'))))).toEqual({ aps: { alert: 'hi' } });
  expect(apnsPayload(content(`payload=${base64({ aps: { badge: 1 }, x: 2 })}`))).toEqual({ aps: { badge: 1 }, x: 2 });
  expect(apnsPayload(content(`payload=${encodeURIComponent(base64({ aps: {} }))}`))).toEqual({ aps: {} });
  expect(apnsPayload(content(storedMessage('gcm', base64('a b!'))))).toEqual({ aps: { alert: 'a b!' } });
  expect(apnsPayload(content('payload=not Base64'))).toEqual({ aps: { alert: 'not Base64' } });
});

test('web and mail gateways receive the object or text in their own formats', () => {
  expect(webPayload(content(storedMessage('web', base64({ message: 'm', y: 2 }))))).toBe('{"message":"m","y":2}');
  expect(emailText(content(storedMessage('email', base64({ message: 'm', y: 2 }))))).toBe('m');
  expect(emailText(content(storedMessage('apns', base64('hi'))))).toBe('hi');
  expect(emailText(content(`payload=${base64({ aps: { alert: { body: 'b' } } })}`))).toBe('b');
});

test.each([
  [{ aps: { 'content-available': 1 } }, true],
  [{ aps: { 'content-available': 1, alert: 'x' } }, false],
  [{ aps: { badge: 0 } }, false],
  [{ aps: {} }, false],
  [{ x: 1 }, true],
])('whether %j is sent in the background: %s', (payload, expected) => {
  expect(isSilent(payload)).toBe(expected);
});
