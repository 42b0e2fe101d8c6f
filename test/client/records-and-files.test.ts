import { beforeAll, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createAtrium, type Live, memoryStorage } from '../../packages/client/src/index.ts';
import { APPLICATION, running, useApp } from '../support/app/app.ts';
import { execute } from '../support/fixtures/chat.ts';
import { apiKey, createUser } from '../support/fixtures/users.ts';

useApp();

interface Classes {
  cars: { make: string | null; value: number | null };
  [name: string]: Record<string, unknown>;
}

beforeAll(async () => {
  await execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey);
  const fields = [
    { name: 'make', type: 'STRING' },
    { name: 'value', type: 'INTEGER' },
  ];
  await execute(
    'mutation ($input: CreateClassInput!) { createClass(input: $input) { id } }',
    { input: { name: 'cars', fields } },
    apiKey,
  );
});

function signedOut() {
  const atrium = createAtrium<Classes>({
    url: running.url,
    applicationId: APPLICATION.id,
    webSocket: WebSocket,
    deviceStorage: memoryStorage(),
  });
  onTestFinished(() => atrium.close());
  return atrium;
}

async function signedIn() {
  const atrium = signedOut();
  await atrium.session.signIn(await createUser());
  return atrium;
}

function until<Value>(live: Live<Value>, isRight: (value: Value) => unknown): Promise<Value> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isRight(live.get())) return;
      queueMicrotask(() => stop());
      resolve(live.get());
    };
    const stop = live.subscribe(look);
    onTestFinished(stop);
    look();
  });
}

test('records are created, listed, changed and deleted with the fields of their class', async () => {
  const cars = (await signedIn()).records('cars');
  const fiat = await cars.create({ make: 'Fiat', value: 100 });
  expectTypeOf(fiat.make).toEqualTypeOf<string | null>();
  await cars.create({ make: 'BMW', value: 40 });
  const { items, hasMore } = await cars.list({
    where: { value: { gt: 50 } },
    orderBy: { field: 'value', direction: 'DESC' },
  });
  expect({ items, hasMore }).toEqual({ items: [fiat], hasMore: false });
  expect(fiat).toMatchObject({ id: expect.any(String), make: 'Fiat', value: 100, userId: expect.any(Number) });
  expect(await cars.update(fiat.id, { value: 90 })).toMatchObject({ id: fiat.id, make: 'Fiat', value: 90 });
  expect(await cars.get(fiat.id)).toMatchObject({ value: 90 });
  await cars.delete(fiat.id);
  await expect(cars.get(fiat.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  // @ts-expect-error: not a field of the class
  await expect(cars.list({ where: { wheels: 4 } })).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
});

test('records.live follows the changes of matching records in order', async () => {
  const [mine, theirs] = [(await signedIn()).records('cars'), (await signedIn()).records('cars')];
  const filter = { where: { value: { gte: 1_000 } }, orderBy: { field: 'value', direction: 'DESC' } } as const;
  const live = mine.live(filter);
  expect(mine.live({ ...filter })).toBe(live);
  await until(live, ({ status }) => status === 'ready');
  const values = () => live.get().records.map(({ value }) => value);
  const one = await mine.create({ make: 'A', value: 1_000 });
  await mine.create({ make: 'B', value: 3_000 });
  await theirs.create({ make: 'C', value: 2_000 });
  await until(live, ({ records }) => records.length === 3);
  expect(values()).toEqual([3_000, 2_000, 1_000]);
  await mine.update(one.id, { value: 4_000 });
  await until(live, () => values()[0] === 4_000);
  await mine.update(one.id, { value: 1 });
  await until(live, ({ records }) => records.length === 2);
  expect(values()).toEqual([3_000, 2_000]);
});

test.each(['without a session', 'with the session of an application'])(
  'records.watch %s fails with UNAUTHENTICATED once, and is live after a sign-in',
  async (which) => {
    await (await signedIn()).records('cars').create({ make: 'Public', value: 77 });
    const atrium = signedOut();
    if (which.includes('application')) await atrium.client.openSession();
    const live = atrium.records('cars').live({ where: { value: 77 } });
    const seen: string[] = [];
    onTestFinished(live.subscribe(() => seen.push(live.get().error?.code ?? live.get().status)));
    await until(live, ({ status }) => status === 'error');
    const { items } = await atrium
      .records('cars')
      .list({})
      .catch(() => ({ items: [] }));
    expect(items.length > 0).toBe(which.includes('application'));
    expect(seen).toEqual(['UNAUTHENTICATED']);
    await atrium.session.signIn(await createUser());
    await until(live, ({ status, records }) => status === 'ready' && records.length > 0);
    expect(live.get().error).toBeUndefined();
  },
);

test('files.upload stores a file, reports its progress and attaches it to a message', async () => {
  const atrium = await signedIn();
  const progress: number[] = [];
  const file = await atrium.files.upload(new Blob(['hello'], { type: 'text/plain' }), {
    name: 'hello.txt',
    onProgress: ({ loaded, total }) => progress.push(loaded / total),
  });
  expect(file).toEqual({
    id: expect.any(Number),
    uid: expect.any(String),
    name: 'hello.txt',
    contentType: 'text/plain',
    size: 5,
  });
  expect(progress.at(-1)).toBe(1);
  const { url, expiresAt } = await atrium.files.address(atrium.files.link(file.uid)!);
  expect(url).not.toContain(atrium.client.session!.token);
  expect(expiresAt!.getTime() - running.now().getTime()).toBeLessThanOrEqual(15 * 60_000);
  expect(await (await fetch(url)).text()).toBe('hello');
  const { id } = await atrium.chat.createGroup('Files', []);
  const attachments = [{ type: 'file', id: file.uid, name: file.name, size: file.size }];
  expect(await atrium.chat.dialog(id).send({ attachments })).toMatchObject({ text: '', attachments });
  const aborted = new AbortController();
  aborted.abort(new Error('not today'));
  await expect(atrium.files.upload(new Blob(['x']), { signal: aborted.signal })).rejects.toThrow('not today');
});

test('users are found by a part of their name, by login and by id', async () => {
  const atrium = await signedIn();
  const { id, login } = await createUser({ full_name: 'Zoë Quartz' });
  expect((await atrium.users.search('quar')).items).toMatchObject([{ id, name: 'Zoë Quartz' }]);
  expect(await atrium.users.byLogin(login)).toMatchObject({ id });
  expect((await until(atrium.users.get(id), (user) => user))?.name).toBe('Zoë Quartz');
  expect((await atrium.users.update({ fullName: 'Me' })).name).toBe('Me');
});
