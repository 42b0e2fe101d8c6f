import {
  call,
  createGroup,
  createPerson,
  forEach,
  messageBody,
  type Person,
  sendMessage,
  tokenHeader,
} from './calls.ts';
import type { Comparison } from './comparison.ts';
import { costOfEach } from './cpu.ts';
import type { Environment } from './environment.ts';
import { httpLoad } from './http-load.ts';
import { queries } from './seeded.ts';
import { startSeededUsers } from './seeded-users.ts';
import { APPLICATION } from './service.ts';

const KEY = { Authorization: `ApiKey ${APPLICATION.apiKey}` };
const ROWS = 2_000;
const ROLES = ['editor', 'reviewer', 'host'];
const SCOPES = ['users:read', 'dialogs:read', 'messages:*', 'records:articles:*'];

type Headers = Record<string, string>;

interface Request {
  name: string;
  path: string;
  body?: string;
}

/** What a restricted key and roles cost: the same requests as those of a key and a user without them. */
export async function access(environment: Environment): Promise<Comparison[]> {
  const { url, pid, databaseUrl } = await startSeededUsers(1_000, environment, 'access');
  const post = async (path: string, json: object, headers: Headers = KEY, status = 201) =>
    JSON.parse(await call(url + path, status, { method: 'POST', headers, json }));
  const [plain, member, other] = [
    await createPerson(url, 'plain'),
    await createPerson(url, 'member'),
    await createPerson(url, 'other'),
  ];
  for (const name of ROLES) {
    await post('/roles', { name, description: name }, KEY, 200);
    await post(`/users/${member.id}/roles`, { role: name }, KEY, 200);
  }
  const fields = '[{ name: "title", type: STRING }]';
  const opened = '{ read: { access: OPEN }, create: { access: OPEN } }';
  const query = `mutation { createClass(input: { name: "articles", fields: ${fields}, permissions: ${opened} }) { id } }`;
  await post('/graphql', { query }, KEY, 200);
  const { _id: recordId } = await post('/data/articles', { title: 'Spring' }, tokenHeader(other));
  const dialogId = await createGroup(url, [plain, member], 'access');
  await forEach(Array(ROWS).keys(), 8, async (n) => {
    await sendMessage(url, plain, dialogId, `Message ${n}`);
    await post('/data/articles', { title: `Article ${n}` }, tokenHeader(plain));
  });
  // Otherwise PostgreSQL plans for the empty tables of the start.
  await queries(databaseUrl, ['VACUUM ANALYZE']);
  const { key } = await post('/keys', {
    name: 'restricted',
    restrictions: { scopes: SCOPES, networks: ['127.0.0.0/8'], on_behalf_of: [], on_behalf_of_roles: ['editor'] },
  });

  const requests: Request[] = [
    { name: 'get a user', path: `/users/${other.id}` },
    { name: 'get a record', path: `/data/articles/${recordId}` },
    { name: 'create a record', path: '/data/articles', body: JSON.stringify({ title: 'Summer' }) },
    { name: 'list the latest 50 messages', path: `/chat/Message?chat_dialog_id=${dialogId}&mark_as_read=0&limit=50` },
    { name: 'create a message', path: '/chat/Message', body: messageBody(dialogId, 'Shall we meet?') },
  ];
  const onBehalfOf = (authorization: string, { id }: Person) => ({
    Authorization: `ApiKey ${authorization}`,
    'On-Behalf-Of': String(id),
  });
  const sides = [
    ['user with roles', tokenHeader(member), tokenHeader(plain)],
    ['restricted key', onBehalfOf(key, member), onBehalfOf(APPLICATION.apiKey, member)],
  ] as const;
  return sides.flatMap(([side, restricted, free]) =>
    requests.map(({ name, path, body }): Comparison => {
      const load = (headers: Headers) => async () => {
        let figures: Record<string, number> = {};
        const { node, postgres } = await costOfEach({ pid, postgresDir: environment.postgresDir }, async () => {
          let answered = 0;
          figures = await httpLoad({
            url: `${url}${path}`,
            method: body ? 'POST' : 'GET',
            headers: { ...headers, 'Content-Type': 'application/json' },
            ...(body && { bodies: [body] }),
            status: body ? 201 : 200,
            isRight: (text) => text.length > 2 && !text.startsWith('{"errors"'),
            seconds: environment.seconds,
            onAnswered: (count) => {
              answered = count;
            },
          });
          return answered;
        });
        return { ...figures, 'µs of node': node, 'µs of PostgreSQL': postgres };
      };
      return { name: `${side}: ${name}`, service: load(restricted), bare: load(free), note: () => NOTE };
    }),
  );
}

const NOTE =
  'access – a restricted key beside one without restrictions, and a user with three roles beside one without, with the same requests';
