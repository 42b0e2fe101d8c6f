import { deepStrictEqual } from 'node:assert';
import type { Arena } from './arena.ts';
import type { SessionSettings } from './bare/session.ts';
import type { Contest } from './contest.ts';
import { call, tokenHeader } from './doors.ts';
import { httpLoad } from './http-load.ts';
import { startScript } from './processes.ts';
import { statementWith } from './statements.ts';

const SECONDS_AT_MOST = 2;

/** The shortest authenticated request, compared with an anonymous one and with the baseline. */
export async function session(arena: Arena): Promise<Contest[]> {
  const { serviceUrl, recorder, people, databaseUrl, cleanup } = arena;
  const headers = tokenHeader(people[0]!);
  let answer = '';
  const recorded = await recorder.during(async () => {
    answer = await call(`${recorder.url}/session.json`, 200, { headers });
  });
  const settings: SessionSettings = {
    databaseUrl,
    session: statementWith(recorded, 'JOIN sessions'),
    row: statementWith(recorded, '"public"."sessions"'),
    answer,
  };
  if (recorded.length !== 2) throw new Error(`a session takes ${recorded.length} statements, the bare limit 2`);
  const bare = await startScript(new URL('./bare/session.ts', import.meta.url), settings, cleanup);

  const [ours, limit] = await Promise.all(
    [serviceUrl, bare.url].map(async (url) => JSON.parse(await call(`${url}/session.json`, 200, { headers }))),
  );
  deepStrictEqual(lasting(limit), lasting(ours), 'both sides answer the same');

  const seconds = Math.min(arena.seconds, SECONDS_AT_MOST);
  const { token } = people[0]!;
  const load = (url: string) => () =>
    httpLoad({
      url: `${url}/session.json`,
      method: 'GET',
      headers,
      status: 200,
      isRight: (body) => body.includes(`"token":"${token}"`),
      seconds,
    });
  const settingsUrl = `${serviceUrl}/account_settings.json`;
  const account = await call(settingsUrl, 200, {});
  const anonymous = () =>
    httpLoad({
      url: settingsUrl,
      method: 'GET',
      headers: {},
      status: 200,
      isRight: (body) => body === account,
      seconds,
    });
  return [
    { name: 'find session', service: load(serviceUrl), bare: load(bare.url) },
    {
      name: 'find session : ask nobody',
      service: load(serviceUrl),
      bare: anonymous,
      note: () => 'find session : ask nobody – GET /session beside GET /account_settings, both of the service',
    },
  ];
}

function lasting(answer: { session: Record<string, unknown> }): Record<string, unknown> {
  return { ...answer.session, updated_at: undefined };
}
