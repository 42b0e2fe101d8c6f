import { expect } from 'vitest';

/** `key`: an API key alone. */
export type Caller = 'key' | number;

export const API_KEY = 'the-key';

/** One request to a running service; an answer without JSON is its text. */
export async function rest(
  url: string,
  method: string,
  path: string,
  body?: object | FormData,
  caller: Caller = 'key',
) {
  const isForm = body instanceof FormData;
  const response = await fetch(url + path, {
    method,
    headers: {
      Authorization: `ApiKey ${API_KEY}`,
      ...(caller === 'key' ? {} : { 'On-Behalf-Of': String(caller) }),
      ...(body && !isForm ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  return { status: response.status, body: (isJson ? JSON.parse(text) : text) as any };
}

/** What was put into the source, by its ids. */
export interface Populated {
  users: number[];
  dialogs: string[];
  /** Those that something special was done with. */
  messages: string[];
  blobs: number[];
  private: string;
  group: string;
  public: string;
  hidden: string;
}

/** More than two pages, of which the first ones are sent within the same second. */
export const GROUP_MESSAGES = 230;

/** Puts something of everything into a service, over its REST doors. */
export async function populate(url: string): Promise<Populated> {
  const ask = async (method: string, path: string, body?: object | FormData, caller: Caller = 'key') => {
    const answer = await rest(url, method, path, body, caller);
    expect([answer.status, answer.body]).toEqual([method === 'POST' ? expect.any(Number) : 200, expect.anything()]);
    expect([200, 201]).toContain(answer.status);
    return answer.body;
  };

  const users: number[] = [];
  for (const [index, login] of ['alice', 'bob', 'carla', 'dora', 'emil'].entries()) {
    const { user } = await ask('POST', '/users.json', {
      user: {
        login: login === 'dora' ? 'Dora.D' : login,
        password: 'password-1',
        email: `${login}@example.org`,
        full_name: `${login} Ünï — 漢字 😀`,
        phone: '+49 (30) 1234',
        website: 'https://example.org',
        external_user_id: index === 2 ? 9_007_199_254_740_991 : 100 + index,
        ...(index === 0 ? { facebook_id: '123456789012', twitter_id: '77', blob_id: 3 } : {}),
        custom_data: JSON.stringify({ nested: { x: [1, 'é'] } }),
        parents_contacts: 'Mum & Dad',
        tag_list: index % 2 === 0 ? 'dealers,vip' : '',
        age_over16: index === 0,
        allow_statistics_analysis: index === 1,
        allow_sales_activities: index === 2,
      },
    });
    users.push(user.id);
  }
  const [alice, bob, carla, dora, emil] = users as [number, number, number, number, number];

  const classes = {
    Cars: {
      fields: {
        make: 'String',
        value: 'Integer',
        weight: 'Float',
        sold: 'Boolean',
        built: 'Date',
        place: 'Location',
        manual: 'File',
        tags: 'String_a',
        numbers: 'Integer_a',
        factors: 'Float_a',
        flags: 'Boolean_a',
        dates: 'Date_a',
        route: 'Location_a',
      },
      permissions: {
        create: { access: 'open' },
        update: { access: 'open_for_groups', groups: ['dealers'] },
        delete: { access: 'open_for_users_ids', ids: [alice, bob] },
      },
    },
    Wheels: { fields: { size: 'Integer' }, permissions: { read: { access: 'open' } } },
    Closed: { fields: { note: 'String' }, permissions: { read: { access: 'not_allowed' } } },
  };
  for (const [name, definition] of Object.entries(classes)) await ask('POST', '/class.json', { name, ...definition });

  const car = await ask(
    'POST',
    '/data/Cars.json',
    {
      make: 'Fiat "Ünö", 漢字 😀',
      value: -5,
      weight: 1e-7,
      sold: false,
      built: '2020-02-29 12:34:56',
      place: '45.07, 7.69',
      tags: ['red', 'old', 'a,b', ''],
      numbers: [1, 2, 3],
      factors: [0.1, -2.5],
      flags: [true, false],
      dates: ['2020-01-01', '2021-01-01'],
      route: [
        [1, 2],
        [-3.5, 179.9],
      ],
    },
    alice,
  );
  await ask('POST', '/data/Cars.json', { permissions: { read: { access: 'owner' }, update: { access: 'open' } } }, bob);
  await ask(
    'POST',
    '/data/Cars.json',
    { make: 'null', tags: [], permissions: { read: { access: 'open_for_users_ids', ids: [carla, dora] } } },
    bob,
  );
  await ask('POST', '/data/Cars.json', { permissions: { read: { access: 'open_for_groups', groups: ['vip'] } } }, bob);
  await ask('POST', '/data/Cars.json', { make: 'of no user' });
  for (let from = 0; from < 120; from += 100) {
    const record = Object.fromEntries(
      Array.from({ length: from === 0 ? 100 : 20 }, (_, index) => [index + 1, { size: from + index }]),
    );
    await ask('POST', '/data/Wheels/multi.json', { record }, emil);
  }
  await ask('POST', `/data/Cars/${car._id}/Wheels.json`, { size: 1000 }, bob);
  await ask('POST', '/data/Closed.json', { note: 'closed' });
  await ask(
    'POST',
    `/data/Cars/${car._id}/file.json`,
    fileForm('manual.txt', 'read me', { field_name: 'manual' }),
    alice,
  );

  const blobs: number[] = [];
  for (const [owner, isPublic] of [
    [alice, true],
    [bob, false],
  ] as const) {
    const { blob } = await ask(
      'POST',
      '/blobs.json',
      { blob: { name: `notes of ${owner}.txt`, content_type: 'text/plain', public: isPublic, tag_list: 'a,b' } },
      owner,
    );
    await upload(blob.blob_object_access.params, `bytes of ${owner}`);
    await ask('PUT', `/blobs/${blob.id}/complete.json`, {}, owner);
    blobs.push(blob.id);
  }
  const { blob: bare } = await ask(
    'POST',
    '/blobs.json',
    { blob: { name: 'bare', content_type: 'text/plain' } },
    carla,
  );
  blobs.push(bare.id);

  const dialog = async (body: object, owner: number): Promise<string> =>
    (await ask('POST', '/chat/Dialog.json', body, owner))._id;
  const group = await dialog(
    {
      type: 2,
      name: 'Grüppe 😀',
      photo: '77',
      occupants_ids: [bob, carla, dora],
      is_join_required: 1,
      data: { class_name: 'Cars', make: 'of a dialog', place: '1, 2', numbers: [4] },
    },
    alice,
  );
  const open = await dialog({ type: 1, name: 'Everybody' }, bob);
  const empty = await dialog({ type: 2, name: 'Empty', occupants_ids: [emil] }, dora);

  const send = async (body: object, sender: number): Promise<string> =>
    (await ask('POST', '/chat/Message.json', body, sender))._id;
  const messages: string[] = [];
  const sent: string[] = [];
  for (let index = 0; index < GROUP_MESSAGES; index++) {
    const sender = [alice, bob, carla, dora][index % 4]!;
    sent.push(await send({ chat_dialog_id: group, message: `Message ${index} é` }, sender));
  }
  const rich = await send(
    {
      chat_dialog_id: group,
      message: 'Lunch? 漢字 "quoted" \\ 😀',
      attachments: [
        { type: 'image', id: String(blobs[0]), url: 'https://example.org/x.png', width: 5, data: { z: 1, a: 2 } },
        { type: 'location', url: 'geo:1,2' },
      ],
      zebra: true,
      apple: { nested: ['1', 2] },
    },
    alice,
  );
  messages.push(rich, sent[5]!, sent[100]!, sent[229]!);

  for (const [user, ...names] of [
    [bob, 'like'],
    [carla, 'haha', 'like'],
    [alice, 'like', 'haha', 'angry'],
  ] as const) {
    for (const name of names) await ask('POST', `/chat/Message/${rich}/reactions.json`, { name }, user);
  }
  await ask('POST', `/chat/Message/${sent[5]}/reactions.json`, { name: '👍🏽' }, dora);

  // Bob has read all, Carla the first ones and some in between, Dora nothing but got some; Alice unmarks one of her own.
  await ask('PUT', '/chat/Message.json', { chat_dialog_id: group, read: 1, delivered: 1 }, bob);
  await ask('PUT', `/chat/Message/${sent.slice(0, 40).join(',')}.json`, { chat_dialog_id: group, read: 1 }, carla);
  await ask('PUT', `/chat/Message/${[sent[100], sent[102]].join(',')}.json`, { chat_dialog_id: group, read: 1 }, carla);
  await ask('PUT', `/chat/Message/${sent.slice(50, 60).join(',')}.json`, { delivered: 1 }, dora);
  await ask('PUT', `/chat/Message/${[sent[0], sent[4]].join(',')}.json`, { read: 0 }, alice);
  await ask('PUT', `/chat/Message/${sent[10]}.json`, { read: 0 }, bob);
  await ask('PUT', `/chat/Message/${sent[20]}.json`, { message: 'edited' }, alice);
  await ask('DELETE', `/chat/Message/${[sent[30], sent[31]].join(',')}.json`, {}, carla);
  await ask('DELETE', `/chat/Message/${sent[200]}.json`, {}, dora);
  await ask('DELETE', `/chat/Message/${sent[8]}.json`, { force: 1 }, alice);
  await ask('PUT', `/chat/Dialog/${group}/notifications.json`, { enabled: 0 }, carla);
  // Dora has sent and got something, and left; Emil has come late.
  await ask('PUT', `/chat/Dialog/${group}.json`, { push_all: { admins_ids: [bob], occupants_ids: [emil] } }, alice);
  await ask('PUT', `/chat/Dialog/${group}.json`, { pull_all: { occupants_ids: [dora] } }, alice);
  await ask('PUT', `/chat/Dialog/${open}.json`, { push_all: { admins_ids: [carla] } }, bob);

  const talk = (await ask('POST', '/chat/Message.json', { recipient_id: bob, message: 'Hi Bob' }, alice))
    .chat_dialog_id;
  await send({ chat_dialog_id: talk, message: 'Hi Alice' }, bob);
  const hidden = (await ask('POST', '/chat/Message.json', { recipient_id: dora, message: 'bye' }, carla))
    .chat_dialog_id;
  await ask('DELETE', `/chat/Dialog/${hidden}.json`, {}, dora);
  await send({ chat_dialog_id: open, message: 'to all' }, emil);
  messages.push(await send({ chat_dialog_id: open, message: 'hidden from one' }, alice));
  await ask('DELETE', `/chat/Message/${messages.at(-1)}.json`, {}, bob);
  await ask('PUT', `/chat/Dialog/${open}/notifications.json`, { enabled: 0 }, dora);

  const dialogs = [group, open, empty, talk, hidden];
  return { users, dialogs, messages, blobs, private: talk, group, public: open, hidden };
}

function fileForm(name: string, content: string, fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  form.append('file', new Blob([content], { type: 'text/plain' }), name);
  return form;
}

async function upload(params: string, content: string): Promise<void> {
  const url = new URL(params);
  const form = fileForm('note.txt', content, Object.fromEntries(url.searchParams));
  const response = await fetch(url.origin + url.pathname, { method: 'POST', body: form });
  expect(response.status).toBe(201);
}
