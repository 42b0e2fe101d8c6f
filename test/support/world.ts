import { SAMPLES } from '../../src/rest/openapi/docs/samples.ts';
import { createBlob, upload, uploadFields } from './content.ts';
import { createAssistant } from './model.ts';
import { created } from './stage.ts';
import { apiKey, createUser, openSession, type TestUser } from './users.ts';

/** What the examples speak of, as it is now. */
export class World {
  alice!: TestUser;
  bob!: TestUser;
  /** Real values by those of the examples. */
  readonly values = new Map<string | number, string | number>();

  set(name: keyof typeof SAMPLES, value: string | number): void {
    this.values.set(SAMPLES[name], value);
  }

  value(name: keyof typeof SAMPLES): string | number | undefined {
    return this.values.get(SAMPLES[name]);
  }

  async begin(): Promise<void> {
    const login = { login: 'alice', password: 'correct-horse' };
    const { user } = await created('/users', { user: { ...login, ...ALICE } }, apiKey);
    this.alice = { id: user.id, ...login, ...(await openSession(login)) };
    this.bob = await createUser({ phone: '4402079460001' });
    this.set('user', this.alice.id);
    this.set('friend', this.bob.id);
    await this.makeChat();
    await this.makeClasses();
    await this.makeRecords();
    await this.makeBlob();
    this.set('assistant', await createAssistant({ url: 'http://127.0.0.1:1' }));
    await this.makePushes();
    await this.makePlace();
  }

  async makePushes(): Promise<void> {
    const event = { environment: 'development', message: 'aGk=', push_type: 'gcm', user: { ids: [this.bob.id] } };
    const date = 1_900_000_000;
    this.set('event', (await created('/events', { event: { ...event, date } }, this.alice)).event.id);
    const device = { platform: 'ios', udid: 'u0' };
    const token = { environment: 'development', client_identification_sequence: 's0' };
    const { push_token } = await created('/push_tokens', { push_token: token, device }, this.alice);
    this.set('pushToken', push_token.id);
    const [{ subscription }] = await created('/subscriptions', { notification_channel: 'apns' }, this.alice);
    this.set('subscription', subscription.id);
  }

  async makePlace(): Promise<void> {
    const place = { geo_data: { latitude: 51.5, longitude: -0.12 } };
    this.set('geodatum', (await created('/geodata', place, this.alice)).geo_datum.id);
  }

  async makeChat(): Promise<void> {
    const group = { type: 2, name: 'Lunch', occupants_ids: [this.bob.id] };
    for (const name of ['dialog', 'otherDialog'] as const) {
      this.set(name, (await created('/chat/Dialog', group, this.alice))._id);
    }
    for (const name of ['message', 'otherMessage'] as const) {
      const message = { chat_dialog_id: this.values.get(SAMPLES.dialog), message: 'Hello' };
      this.set(name, (await created('/chat/Message', message, this.alice))._id);
    }
  }

  async makeClasses(): Promise<void> {
    await created('/class', { name: 'Cars', fields: CAR }, apiKey);
    await created('/class', { name: 'Trips', fields: { goal: 'String' } }, apiKey);
  }

  async makeRecords(): Promise<void> {
    for (const name of ['record', 'otherRecord'] as const) {
      this.set(name, (await created('/data/Cars', { make: 'BMW', year: 2001, tags: ['a'] }, this.alice))._id);
    }
  }

  /** A public one, with bytes that are not completed. */
  async makeBlob(): Promise<void> {
    const blob = await createBlob(this.alice, { public: true });
    await upload(uploadFields(blob));
    this.set('blob', blob.id);
    this.set('uid', blob.uid);
  }

  /** With real values where the examples have theirs. */
  real<Value>(value: Value): Value {
    if (Array.isArray(value)) return value.map((item) => this.real(item)) as Value;
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.real(member)])) as Value;
    }
    if (typeof value !== 'string') return (this.values.get(value as number) ?? value) as Value;
    const parts = value.split(',').map((part) => this.values.get(part) ?? part);
    return (parts.length === 1 ? parts[0] : parts.join(',')) as Value;
  }
}

const ALICE = {
  email: 'alice@example.org',
  full_name: 'Alice Liddell',
  phone: '4402079460000',
  facebook_id: '100200',
  twitter_id: '300400',
  external_user_id: SAMPLES.externalUser,
  tag_list: 'reader,chess',
};
const CAR = { make: 'String', year: 'Integer', tags: 'String_a', photo: 'File' };
