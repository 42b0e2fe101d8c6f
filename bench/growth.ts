import { tokenHeader } from './calls.ts';
import { type Comparison, type Figures, median } from './comparison.ts';
import { costOfEach } from './cpu.ts';
import type { Environment } from './environment.ts';
import { type SeededGrowth, startSeededGrowth } from './seeded-growth.ts';
import { APPLICATION } from './service.ts';

/** Different requests of a kind, spread over the data. */
const REQUESTS = 50;

interface List {
  name: string;
  paths: (seeded: SeededGrowth, nth: number) => string;
  as?: 'caller' | 'busy' | 'API key';
}

/** The same requests in databases of a hundredth, a tenth, and all of the messages. */
export async function growth(environment: Environment): Promise<Comparison[]> {
  const { messages, seconds, postgresDir } = environment;
  if (messages < 100_000) throw new Error('--messages should be at least 100000');
  const [small, medium, large] = [
    await startSeededGrowth(messages / 100, environment),
    await startSeededGrowth(messages / 10, environment),
    await startSeededGrowth(messages, environment),
  ];
  const read = (seeded: SeededGrowth, { paths, as = 'caller' }: List) => {
    const headers: Record<string, string> =
      as === 'API key' ? { Authorization: `ApiKey ${APPLICATION.apiKey}` } : tokenHeader(seeded[as]);
    return async (): Promise<Figures> => {
      const milliseconds: number[] = [];
      const { node, postgres } = await costOfEach({ pid: seeded.pid, postgresDir }, async () => {
        const end = performance.now() + seconds * 1000;
        for (let began = performance.now(); began < end; began = performance.now()) {
          const path = paths(seeded, milliseconds.length % REQUESTS);
          const response = await fetch(seeded.url + path, { headers });
          const text = await response.text();
          if (response.status === 503) return Number.NaN;
          if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
          milliseconds.push(performance.now() - began);
        }
        return milliseconds.length;
      });
      const ms = Number.isNaN(node) ? Number.NaN : median(milliseconds);
      return { ms, 'µs of node': node, 'µs of PostgreSQL': postgres };
    };
  };
  return LISTS.flatMap((list) =>
    [medium, large].map((seeded) => ({
      name: `${list.name}: ${count(small)} : ${count(seeded)}`,
      service: read(seeded, list),
      bare: read(small, list),
      note: () => NOTE,
    })),
  );
}

const count = ({ messages }: SeededGrowth) => messages.toLocaleString('en');

const NOTE =
  'growth – the service column is the database of more messages, the bare column that of fewest: the ratios are the ' +
  'growth. A tenth as many users and records as messages, a twentieth as many dialogs; half of the messages are in ' +
  'one dialog; one request after the other. NaN: the service refused the request, because it took too long';

/** One of `total` items, each time another. */
const spread = (total: number, nth: number) => Math.floor(((nth + 0.5) * total) / REQUESTS);

const long = (parameters: string) => (seeded: SeededGrowth) =>
  `/chat/Message.json?chat_dialog_id=${seeded.longId}&mark_as_read=0&${parameters}`;

const messageId = ({ start, messages }: SeededGrowth, nth: number) => {
  const seq = spread(messages / 2, nth) + 1;
  return (start + Math.floor(seq / 3)).toString(16) + '0'.repeat(8) + seq.toString(16).padStart(8, '0');
};

const users = (parameters: (seeded: SeededGrowth, nth: number) => string) => (seeded: SeededGrowth, nth: number) =>
  `/users${parameters(seeded, nth)}`;

const cars = (parameters: (seeded: SeededGrowth, nth: number) => string) => (seeded: SeededGrowth, nth: number) =>
  `/data/${seeded.cars}.json?${parameters(seeded, nth)}`;

const encoded = encodeURIComponent;

const LISTS: List[] = [
  { name: 'messages, latest 50', paths: long('limit=50&sort_desc=date_sent') },
  { name: 'messages, earliest 50', paths: long('limit=50') },
  {
    name: 'messages, 50 before a time',
    paths: (seeded, nth) =>
      long(`limit=50&sort_desc=date_sent&date_sent[lt]=${seeded.start + spread(seeded.messages / 6, nth) + 100}`)(
        seeded,
      ),
  },
  { name: 'messages, count of a dialog', paths: long('count=1') },
  {
    name: 'messages, search of a rare text',
    paths: (seeded, nth) => long(`limit=10&message[ctn]=number%20${spread(seeded.messages / 2, nth) + 1}%20of`)(seeded),
  },
  { name: 'messages, search of a frequent text', paths: long('limit=50&message[ctn]=number') },
  { name: 'messages, by id', paths: (seeded, nth) => `/chat/Message/${messageId(seeded, nth)}.json` },
  { name: 'unread messages, of all dialogs', paths: () => '/chat/Message/unread.json' },
  {
    name: 'unread messages, of one dialog',
    paths: ({ longId }) => `/chat/Message/unread.json?chat_dialog_ids=${longId}`,
  },
  { name: 'dialogs, latest 50 of 201', paths: () => '/chat/Dialog.json?limit=50' },
  { name: 'dialogs, count', paths: () => '/chat/Dialog.json?count=1' },
  {
    name: 'dialogs, search by name',
    paths: ({ dialogs }, nth) => `/chat/Dialog.json?limit=50&name[ctn]=log%20${(dialogs / 200) * (nth + 1)}`,
  },
  { name: 'dialogs, by id', paths: ({ longId }) => `/chat/Dialog/${longId}.json` },
  { name: 'dialogs, latest 50 of a caller with more', paths: () => '/chat/Dialog.json?limit=50', as: 'busy' },
  { name: 'unread messages, of a caller with more dialogs', paths: () => '/chat/Message/unread.json', as: 'busy' },
  { name: 'dialogs, latest 50 of all, API key', paths: () => '/chat/Dialog.json?limit=50', as: 'API key' },
  { name: 'users, first 50', paths: users(() => '.json?per_page=50') },
  { name: 'users, latest 50', paths: users(() => `.json?per_page=50&order=${encoded('desc date created_at')}`) },
  {
    name: 'users, by id',
    paths: users(({ users: total, firstUserId }, nth) => `/${firstUserId + spread(total, nth)}.json`),
  },
  {
    name: 'users, by login',
    paths: users(({ users: total }, nth) => `/by_login.json?login=user-${spread(total, nth) + 1}`),
  },
  {
    name: 'users, search by full name',
    paths: users(
      ({ users: total }, nth) => `/by_full_name.json?full_name=${encoded(`user ${spread(total, nth) + 1}`)}`,
    ),
  },
  {
    name: 'users, by tag',
    paths: users(({ users: total }, nth) => `/by_tags.json?tags=tag-${spread(total / 5, nth)}`),
  },
  {
    name: 'users, 200 ids sorted by login',
    paths: users(({ users: total, firstUserId }, nth) => {
      const id = firstUserId + spread(total - 200, nth);
      return `.json?filter[]=${encoded(`number id between ${id},${id + 199}`)}&order=${encoded('desc string login')}`;
    }),
  },
  { name: 'records, first 20', paths: cars(() => 'limit=20') },
  {
    name: 'records, by indexed value',
    paths: cars(({ records }, nth) => `limit=20&value=${spread(records, nth)}`),
  },
  {
    name: 'records, 20 of a range, sorted by it',
    paths: cars(({ records }, nth) => `limit=20&value[gte]=${spread(records, nth)}&sort_asc=value`),
  },
  {
    name: 'records, by value without index',
    paths: cars(({ records }, nth) => `limit=20&model=model-${spread(records / 20, nth)}`),
  },
  {
    name: 'records, latest 20 created',
    paths: cars(() => 'limit=20&sort_desc=created_at'),
  },
  {
    name: 'records, near',
    paths: cars((_, nth) => `limit=20&place[near]=${encoded(`-60,${(nth % 5) * 0.4 - 160};10000`)}`),
  },
  {
    name: 'records, count of a range of 200',
    paths: cars(({ records }, nth) => {
      const value = spread(records - 200, nth);
      return `count=1&value[gte]=${value}&value[lt]=${value + 200}`;
    }),
  },
  { name: 'records, count of all', paths: cars(() => 'count=1') },
  {
    name: 'records, search of a rare text',
    paths: cars(({ records }, nth) => `limit=20&make[ctn]=${String(spread(records, nth)).padStart(7, '0')}`),
  },
];
