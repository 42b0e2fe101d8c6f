import { expect } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { hashSecret } from '../../../src/lib/tokens.ts';
import { APPLICATION, running } from '../../support/app/app.ts';
import { createTenant, type Tenant } from '../../support/app/other-apps.ts';
import { rest } from '../../support/clients/rest.ts';
import { insertSession, insertUser } from '../../support/fixtures/callers.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { ExampleData } from '../../support/fixtures/example-data.ts';
import { anonymous, apiKey, type Caller, onBehalfOf } from '../../support/fixtures/users.ts';
import { rowsOf } from '../attacks/crawl.ts';

/** Placeholders for ids of the control application. */
export const FOREIGN = {
  text: '6b014763c31c72a603f5ff01',
  message: '6b014763c31c72a603f5ff02',
  record: '6b014763c31c72a603f5ff03',
  user: 9901,
};

/** Names of callers, repeated by weight. */
export const CALLERS = ['user', 'user', 'user', 'key', 'key', 'key as user', 'anonymous', 'garbage', 'both'] as const;
export type CallerName = (typeof CALLERS)[number];

/** The application that receives the inputs, and a control application that must not change. */
export class FuzzFixture extends ExampleData {
  #tenant!: Tenant;
  #rows!: Set<string>;
  #application!: { id: number };

  override async begin(): Promise<void> {
    await super.begin();
    this.#application = await db.application.findUniqueOrThrow({ where: { id: APPLICATION.id } });
    this.#tenant = await createTenant(2);
    const { key, users } = this.#tenant;
    const [one, two] = users as [Caller & { id: number }, Caller & { id: number }];
    await created('/class', { name: 'Cars', fields: { make: 'String' } }, key);
    const record = await created('/data/Cars', { make: 'BMW' }, one);
    const dialog = await created('/chat/Dialog', { type: 2, name: 'Lunch', occupants_ids: [two.id] }, one);
    const message = await created('/chat/Message', { chat_dialog_id: dialog._id, message: 'Hello' }, one);
    await created('/geodata', { geo_data: { latitude: 1, longitude: 2 } }, one);
    await created('/blobs', { blob: { content_type: 'text/plain', name: 'x.txt' } }, one);
    this.values.set(FOREIGN.text, dialog._id);
    this.values.set(FOREIGN.message, message._id);
    this.values.set(FOREIGN.record, record._id);
    this.values.set(FOREIGN.user, one.id);
    this.#rows = await rowsOf(this.#tenant.applicationId);
    expect(this.#rows.size).toBeGreaterThan(10);
  }

  caller(name: CallerName): Caller {
    switch (name) {
      case 'user':
        return this.alice;
      case 'key':
        return apiKey;
      case 'key as user':
        return onBehalfOf(this.alice);
      case 'both':
        return { headers: { ...apiKey.headers, ...this.alice.headers } };
      case 'garbage':
        return { headers: { 'SVC-Token': '\u00ff{"$ne":""}', 'On-Behalf-Of': '-0' } };
      case 'anonymous':
        return anonymous;
    }
  }

  /** Restores what inputs have deleted, so that later inputs reach as far. */
  async mend(): Promise<void> {
    const { id: _, ...application } = this.#application;
    // The catalogue version must not decrease.
    const { catalogueVersion: _version, userCount: _count, ...settings } = application as Record<string, unknown>;
    await db.application.update({ where: { id: APPLICATION.id }, data: settings });
    const keyHash = hashSecret(APPLICATION.apiKey);
    await db.apiKey.updateMany({ where: { keyHash }, data: { revokedAt: null } });
    for (const user of [this.alice, this.bob]) {
      const exists = await db.user.count({ where: { applicationId: APPLICATION.id, id: user.id } });
      if (!exists) user.id = await insertUser();
    }
    this.set('user', this.alice.id);
    this.set('friend', this.bob.id);
    if (!(await this.#is('/chat/Dialog?limit=1'))) Object.assign(this.alice, await insertSession(this.alice.id));
    const at = (name: Parameters<ExampleData['set']>[0]) => this.value(name);
    if (!(await this.#is(`/chat/Dialog/${at('dialog')}`)) || !(await this.#is(`/chat/Message/${at('message')}`))) {
      await this.makeChat();
    }
    if (!(await this.#is('/class/Cars', apiKey)) || !(await this.#is('/class/Trips', apiKey))) {
      for (const name of ['Cars', 'Trips']) await rest('DELETE', `/class/${name}`, { as: apiKey });
      await this.makeClasses();
    }
    if (!(await this.#is(`/data/Cars/${at('record')}`))) await this.makeRecords();
    if (!(await this.#is(`/blobs/${at('blob')}`))) await this.makeBlob();
    if (!(await this.#is(`/events/${at('event')}`))) await this.makePushes();
    if (!(await this.#is(`/geodata/${at('geodatum')}`))) await this.makePlace();
  }

  async expectUnharmed(): Promise<void> {
    const health = await fetch(`${running.url}/readyz`);
    expect([health.status, await health.text()]).toEqual([200, expect.any(String)]);
    const rows = await rowsOf(this.#tenant.applicationId);
    expect([...rows].filter((row) => !this.#rows.has(row))).toEqual([]);
    expect([...this.#rows].filter((row) => !rows.has(row))).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  }

  async #is(path: string, as: Caller = this.alice): Promise<boolean> {
    return (await rest('GET', path, { as })).status === 200;
  }
}
