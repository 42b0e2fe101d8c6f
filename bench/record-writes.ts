import type { Arena } from './arena.ts';
import type { RecordSettings } from './bare/records.ts';
import type { Contest } from './contest.ts';
import { call, tokenHeader } from './doors.ts';
import { CUT_OFF, httpLoad } from './http-load.ts';
import { startScript } from './processes.ts';
import { APPLICATION } from './service.ts';
import { statementWith } from './statements.ts';

const CLASS = 'bench_cars';
const TOGETHER = 100;

export const CAR = {
  make: 'BMW',
  value: 25_000,
  rating: 4.5,
  sold: false,
  registered: '2023-02-28 23:59:59',
  place: '50.1, 8.7',
};
const TYPES = {
  make: 'String',
  value: 'Integer',
  rating: 'Float',
  sold: 'Boolean',
  registered: 'Date',
  place: 'Location',
};

export async function createClass(url: string, name: string): Promise<void> {
  const headers = { Authorization: `ApiKey ${APPLICATION.apiKey}` };
  await call(`${url}/class.json`, 201, { method: 'POST', headers, json: { name, fields: TYPES } });
}

export async function create(arena: Arena): Promise<Contest[]> {
  const { serviceUrl, recorder, people, databaseUrl, cleanup } = arena;
  await createClass(serviceUrl, CLASS);
  const headers = tokenHeader(people[0]!);
  const path = `/data/${CLASS}.json`;
  // The first record updates the kinds of its class.
  await call(serviceUrl + path, 201, { method: 'POST', headers, json: CAR });
  let answer = '';
  const recorded = await recorder.during(async () => {
    answer = await call(recorder.url + path, 201, { method: 'POST', headers, json: CAR });
  });
  const settings: RecordSettings = {
    databaseUrl,
    session: statementWith(recorded, 'JOIN sessions'),
    store: statementWith(recorded, 'INSERT INTO records'),
    answer,
  };
  const bare = await startScript(new URL('./bare/records.ts', import.meta.url), settings, cleanup);
  const many = { record: Object.fromEntries(Array.from({ length: TOGETHER }, (_, nth) => [String(nth + 1), CAR])) };
  return [
    contest('create a record of six fields', path, CAR, 1, arena, bare.url),
    contest(`create ${TOGETHER} records at once`, `/data/${CLASS}/multi.json`, many, TOGETHER, arena, bare.url),
  ];
}

function contest(
  name: string,
  path: string,
  json: object,
  count: number,
  { serviceUrl, people, seconds }: Arena,
  bareUrl: string,
): Contest {
  const headers = { ...tokenHeader(people[0]!), 'Content-Type': 'application/json' };
  let answered = 0;
  let loads = 0;
  let before: number | undefined;
  const load = (url: string) => () => {
    loads++;
    return httpLoad({
      url: url + path,
      method: 'POST',
      headers,
      bodies: [JSON.stringify(json)],
      status: 201,
      isRight: (body) => body.split('"registered":"2023-02-28T23:59:59Z"').length === count + 1,
      seconds,
      onAnswered: (requests) => {
        answered += requests * count;
      },
    });
  };
  const stored = async () => {
    const text = await call(`${serviceUrl}/data/${CLASS}.json?count=1`, 200, { headers: tokenHeader(people[0]!) });
    return JSON.parse(text).items.count as number;
  };
  return {
    name,
    service: async () => {
      before ??= await stored();
      return load(serviceUrl)();
    },
    bare: load(bareUrl),
    check: async () => {
      const made = (await stored()) - before!;
      if (made < answered || made > answered + loads * CUT_OFF * count) {
        throw new Error(`${name}: ${answered} records were answered, ${made} are stored`);
      }
    },
  };
}
