import { expect } from 'vitest';
import { apiKey } from '../../support/fixtures/users.ts';
import { Worker } from './worker.ts';

interface KeptRecord {
  id: string;
  code: string;
  isChanged: boolean;
  isDeleted: boolean;
}

/** Creates, changes and deletes records; a unique field shows the outcome of requests whose response was lost. */
export class RecordKeeper extends Worker {
  readonly records: KeptRecord[] = [];
  name = '';
  #count = 0;

  protected override async act(): Promise<void> {
    const record = this.records.length > 0 ? this.random.pick(this.records) : undefined;
    const chosen = this.random.next();
    if (chosen < 0.6 || !record || record.isDeleted) return this.#create();
    if (chosen < 0.9) {
      const { status } = await this.insist('PUT', `/data/parts/${record.id}`, { state: 'changed' });
      expect(status).toBe(200);
      record.isChanged = true;
    } else {
      // A cut request may still be executed later, and the code of a deleted record may be used again.
      if (!record.code.endsWith('once')) return;
      const { status } = await this.insist('DELETE', `/data/parts/${record.id}`);
      expect([200, 404]).toContain(status);
      record.isDeleted = true;
    }
  }

  async #create(): Promise<void> {
    const code = `${this.name}-${++this.#count}`;
    const { status, body, isFirst } = await this.insist('POST', '/data/parts', { code, state: 'new' });
    if (status === 201) {
      this.records.push({ id: body._id, code: isFirst ? `${code} once` : code, isChanged: false, isDeleted: false });
    } else {
      expect({ status, text: JSON.stringify(body) }).toEqual({ status: 422, text: expect.stringContaining('taken') });
      expect(isFirst).toBe(false);
      const found = await this.insist('GET', `/data/parts?code=${encodeURIComponent(code)}`);
      expect(found.body.items).toHaveLength(1);
      this.records.push({ id: found.body.items[0]._id, code, isChanged: false, isDeleted: false });
    }
  }

  async verify(): Promise<void> {
    for (const { id, code, isChanged, isDeleted } of this.records) {
      const { body } = await this.insist('GET', `/data/parts?code=${encodeURIComponent(code.replace(/ once$/, ''))}`);
      const state = isChanged ? 'changed' : 'new';
      expect(body.items, code).toMatchObject(isDeleted ? [] : [{ _id: id, state }]);
    }
  }
}

export class FileKeeper extends Worker {
  readonly files: { id: number; uid: string; content: string }[] = [];

  protected override async act(): Promise<void> {
    const made = await this.insist('POST', '/blobs', { blob: { name: 'a.txt', content_type: 'text/plain' } });
    expect(made.status).toBe(201);
    const { id, uid, blob_object_access: access } = made.body.blob;
    const content = String(this.random.next()).repeat(this.random.between(1, 10_000));
    const form = new FormData();
    for (const [name, value] of new URL(access.params).searchParams) form.append(name, value);
    form.append('file', new Blob([content], { type: 'text/plain' }), 'a.txt');
    const uploaded = await this.insist('POST', '/uploads', form);
    expect({ status: uploaded.status, body: uploaded.body }).toEqual({ status: 201, body: expect.anything() });
    const completed = await this.insist('PUT', `/blobs/${id}/complete`, { blob: { size: content.length } });
    expect(completed.status).toBe(200);
    this.files.push({ id, uid, content });
  }

  async verify(): Promise<void> {
    for (const { uid, content } of this.files) {
      const { status, body } = await this.insist('GET', `/blobs/${uid}`);
      expect({ uid, status, isSame: String(body) === content || JSON.stringify(body) === content }).toEqual({
        uid,
        status: 200,
        isSame: true,
      });
    }
  }
}

export class Secretary extends Worker {
  readonly phones: string[] = [];
  readonly eventIds: number[] = [];
  userId = 0;

  protected override async act(): Promise<void> {
    if (this.random.chance(0.7)) {
      const phone = `+4420${this.random.between(10_000_000, 99_999_999)}`;
      const contacts = [{ name: 'A friend', phone }];
      const { status, body } = await this.insist('POST', '/address_book', { contacts });
      expect({ status, body }).toEqual({ status: 200, body: expect.anything() });
      this.phones.push(phone);
    } else {
      const event = { environment: 'production', push_type: 'email', message: 'aGk=', user: { ids: this.userId } };
      const { status, body } = await this.insist('POST', '/events', { event }, apiKey);
      expect({ status, body }).toEqual({ status: 201, body: expect.anything() });
      this.eventIds.push(body.event.id);
    }
  }
}
