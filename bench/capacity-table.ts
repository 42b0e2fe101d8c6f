import type { Cost } from './cpu.ts';

const USERS = [10_000, 100_000, 1_000_000, 10_000_000];
const MESSAGES_A_DAY = [10, 50];

const PEAK_HOUR = 0.1;
const CONNECTED = 0.2;
/** Part of the cores. */
const USE = 0.5;
const CORES = 8;

export const ASSUMPTIONS =
  `The peak hour has ${PEAK_HOUR * 100} % of a day. ${CONNECTED * 100} % of the users are connected. ` +
  'Half of the cores are used, so that queues stay short and a machine can fail.';

interface Costs {
  /** Everything that one message of a user causes. */
  perMessage: Cost;
  /** Everything else that a user does on a day. */
  perDay: Cost;
  /** KB of a connected subscriber. */
  memory: number;
}

export function costTable(rows: [name: string, cost: Cost][]): string {
  return table([
    ['operation', 'µs of the service', 'µs of PostgreSQL'],
    ...rows.map(([name, { node, postgres }]) => [name, format(node), format(postgres)]),
  ]);
}

/** How many cores and machines the peak hour takes. */
export function machines({ perMessage, perDay, memory }: Costs): string {
  const coresOf = (users: number, messages: number, part: 'node' | 'postgres') =>
    (users * (messages * perMessage[part] + perDay[part]) * PEAK_HOUR) / 3600 / 1e6 / USE;
  const rows = USERS.flatMap((users) =>
    MESSAGES_A_DAY.map((messages) => {
      const [service, postgres] = [coresOf(users, messages, 'node'), coresOf(users, messages, 'postgres')];
      return [
        users.toLocaleString('en'),
        String(messages),
        Math.round((users * messages * PEAK_HOUR) / 3600).toLocaleString('en'),
        service.toFixed(1),
        String(Math.max(1, Math.ceil(service / CORES))),
        postgres.toFixed(1),
        ((users * CONNECTED * memory) / 1024 / 1024).toFixed(1),
      ];
    }),
  );
  const head = ['users', 'messages of each a day', 'messages/s at the peak', 'cores of the service'];
  return table([[...head, `machines with ${CORES} cores`, 'cores of PostgreSQL', 'GB of subscribers'], ...rows]);
}

function table([head, ...rows]: string[][]): string {
  const lines = [head!, head!.map((_, column) => (column === 0 ? '---' : '--:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const format = (micros: number) => (micros >= 100 ? Math.round(micros).toLocaleString('en') : micros.toFixed(1));
