import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { UNDEFINED_CLASS } from '../../support/fixtures/error-bodies.ts';
import { apiKey } from '../../support/fixtures/users.ts';
import { AT, json, outcome, real, replay, useSampleUsers } from '../../support/fixtures/wire-samples.ts';

useApp();
useSampleUsers();

describe('wire samples of dialogs', () => {
  test('the samples create one private dialog of two users', async () => {
    const first = await replay('POST', '/chat/Dialog.json', 'F', 'occupants_ids=8&type=3');
    expect(outcome(first)).toEqual([
      201,
      {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        user_id: 7,
        type: 3,
        name: 'user-8',
        photo: null,
        occupants_ids: [7, 8],
        admins_ids: [],
        xmpp_room_jid: null,
        last_message: null,
        last_message_id: null,
        last_message_date_sent: null,
        last_message_user_id: null,
        unread_messages_count: 0,
        is_join_required: 0,
        created_at: AT,
        updated_at: AT,
      },
    ]);
    const again = await replay('POST', '/chat/Dialog.json', 'F', 'occupants_ids=8&type=3');
    expect([again.status, again.text]).toEqual([201, first.text]);
    real.DIALOG = json(first)._id;
  });

  const WITH_DATA =
    'data[class_name]=Cool&data[friends]=true&is_join_required=1&name=G%20%26%20H&occupants_ids=8%2C%209&photo=77&type=2';
  const LIST =
    '_id=abc&data[class_name]=Cool&data[friends]=true&limit=10&name[ctn]=x&skip=5&sort_desc=updated_at&type[in]=1%2C2';

  test('the samples name a class that does not exist', async () => {
    expect(outcome(await replay('POST', '/chat/Dialog.json', 'F', WITH_DATA))).toEqual([403, UNDEFINED_CLASS]);
    expect(outcome(await replay('GET', `/chat/Dialog.json?${LIST}`))).toEqual([403, UNDEFINED_CLASS]);
  });

  test('the samples create a dialog with data', async () => {
    await created('/class', { name: 'Cool', fields: { friends: 'Boolean' } }, apiKey);
    const made = await replay('POST', '/chat/Dialog.json', 'F', WITH_DATA);
    expect(made.status).toBe(201);
    expect(json(made)).toMatchObject({
      name: 'G & H',
      photo: '77',
      is_join_required: 1,
      occupants_ids: [7, 8, 9],
      data: { class_name: 'Cool', friends: true },
    });
    const listed = await replay('GET', `/chat/Dialog.json?${LIST}`);
    expect([listed.status, listed.text]).toEqual([200, '{"total_entries":0,"skip":5,"limit":10,"items":[]}']);
  });

  test('the samples list and count dialogs', async () => {
    const all = json(await replay('GET', '/chat/Dialog.json?'));
    expect(all).toEqual({ total_entries: 2, skip: 0, limit: 100, items: [expect.anything(), expect.anything()] });
    const count = await replay('GET', '/chat/Dialog.json?count=1');
    expect([count.status, count.text]).toEqual([200, '{"items":{"count":2}}']);
  });
});

describe('wire samples of dialog changes', () => {
  const COPY = 'name=N&occupants_ids=8%2C9&type=2';
  let id: string;

  test('the samples change a dialog by JSON', async () => {
    await db.user.createMany({
      data: [10, 11].map((user) => ({
        applicationId: APPLICATION.id,
        id: user,
        createdAt: SAMPLE_TIME,
        updatedAt: SAMPLE_TIME,
      })),
    });
    id = json(await replay('POST', '/chat/Dialog.json', 'F', COPY))._id;
    const body = '{"name":"N","push_all":{"occupants_ids":[10,11]},"pull_all":{"occupants_ids":[9]}}';
    expect(outcome(await replay('PUT', `/chat/Dialog/${id}.json`, 'J', body))).toEqual([
      200,
      expect.objectContaining({ _id: id, user_id: 7, name: 'N', occupants_ids: [7, 8, 10, 11], updated_at: AT }),
    ]);
  });

  test('the samples change a dialog by a form', async () => {
    id = json(await replay('POST', '/chat/Dialog.json', 'F', COPY))._id;
    const body = 'push_all[occupants_ids][]=10&push_all[occupants_ids][]=11';
    expect(outcome(await replay('PUT', `/chat/Dialog/${id}.json`, 'F', body))).toEqual([
      200,
      expect.objectContaining({ _id: id, name: 'N', occupants_ids: [7, 8, 9, 10, 11] }),
    ]);
  });

  test('the samples delete dialogs', async () => {
    const gone = [id, json(await replay('POST', '/chat/Dialog.json', 'F', COPY))._id];
    expect(outcome(await replay('DELETE', `/chat/Dialog/${gone.join(',')}.json`, 'F', 'force=1'))).toEqual([
      200,
      { SuccessfullyDeleted: { ids: gone }, NotFound: { ids: [] } },
    ]);
    expect(outcome(await replay('DELETE', '/chat/Dialog/DIALOG.json'))).toEqual([200, '']);
  });
});
