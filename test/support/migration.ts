import { expect } from 'vitest';
import { type Caller, type Populated, rest } from './migration-source.ts';
import type { Service } from './service.ts';

/** All that a user, or an API key alone, is shown of an application that was moved. */
export async function shownTo(service: Pick<Service, 'url'>, caller: Caller, { dialogs, messages, blobs }: Populated) {
  const get = async (path: string) => {
    const { status, body } = await rest(service.url, 'GET', path, undefined, caller);
    return { status, body };
  };
  const shown: Record<string, unknown> = {};
  const paths = [
    '/users.json?per_page=100',
    // Moments come as whole seconds, so dialogs of the same second are not told apart by their activity any more.
    '/chat/Dialog.json?sort_asc=_id',
    ...dialogs.flatMap((id) => [
      `/chat/Dialog/${id}.json`,
      `/chat/Message.json?chat_dialog_id=${id}&mark_as_read=0&limit=100`,
      `/chat/Message.json?chat_dialog_id=${id}&mark_as_read=0&limit=100&skip=100`,
      `/chat/Message.json?chat_dialog_id=${id}&mark_as_read=0&limit=100&skip=200`,
      `/chat/Message.json?chat_dialog_id=${id}&count=1`,
    ]),
    ...messages.flatMap((id) => [`/chat/Message/${id}.json`, `/chat/Message/${id}/reactions.json`]),
    '/data/Cars.json?permissions=1',
    '/data/Wheels.json?permissions=1&sort_desc=size',
    '/data/Cars.json?place[near]=45,7;100000',
    '/data/Cars.json?tags[all]=red,old',
    '/blobs.json?per_page=100',
    ...blobs.map((id) => `/blobs/${id}.json`),
    ...(caller === 'key'
      ? ['/class.json']
      : [
          '/chat/Message/unread.json',
          `/chat/Message/unread.json?chat_dialog_ids=${dialogs.join(',')}`,
          ...dialogs.map((id) => `/chat/Dialog/${id}/notifications.json`),
        ]),
  ];
  await Promise.all(
    paths.map(async (path) => {
      shown[path] = withoutRequests(await get(path));
    }),
  );
  return shown;
}

/** Who is asked for something on behalf of a user has made a request as them. */
function withoutRequests(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value) => (key === 'last_request_at' ? '<moment>' : value));
}

/** Everybody is shown by the target what the source shows them. */
export async function expectMoved(source: Pick<Service, 'url'>, target: Pick<Service, 'url'>, populated: Populated) {
  for (const caller of ['key', ...populated.users] as Caller[]) {
    const [there, here] = [await shownTo(source, caller, populated), await shownTo(target, caller, populated)];
    for (const [path, answer] of Object.entries(there))
      expect({ caller, path, answer: here[path] }).toEqual({ caller, path, answer });
  }
}
