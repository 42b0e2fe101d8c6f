import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Clock ticks per second of `/proc`, on every Linux that Node supports. */
const TICKS = 100;
const FIELDS_AFTER_NAME = { parent: 1, userTime: 11, systemTime: 12, userTimeOfEnded: 13, systemTimeOfEnded: 14 };

/** CPU time in µs. */
export interface Cost {
  node: number;
  postgres: number;
  /** Of this process, which sends the requests. */
  load: number;
}

export interface Measured {
  pid: number;
  /** Data directory of the PostgreSQL server. */
  postgresDir: string;
}

/** @param run returns the number of operations @returns the cost of each */
export async function costOfEach({ pid, postgresDir }: Measured, run: () => Promise<number>): Promise<Cost> {
  const read = () => ({ node: cpuOfProcess(pid), postgres: cpuOfPostgres(postgresDir), load: ownCpu() });
  const before = read();
  const count = await run();
  const after = read();
  return {
    node: (after.node - before.node) / count,
    postgres: (after.postgres - before.postgres) / count,
    load: (after.load - before.load) / count,
  };
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** CPU time of one process so far, in µs. Linux only. */
export function cpuOfProcess(pid: number): number {
  return statOf(pid)?.cpu ?? 0;
}

/** CPU time of a PostgreSQL server and its connections so far, in µs. Linux only. */
export function cpuOfPostgres(dataDir: string): number {
  const postmaster = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === postmaster);
  return children.reduce((sum, stat) => sum + stat!.cpu, statOf(postmaster)?.cpuOfEnded ?? 0);
}

interface Stat {
  parent: number;
  cpu: number;
  /** Of its children that have ended. */
  cpuOfEnded: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const at = FIELDS_AFTER_NAME;
    const micros = (...places: number[]) => places.reduce((sum, place) => sum + fields[place]! * (1e6 / TICKS), 0);
    return {
      parent: fields[at.parent]!,
      cpu: micros(at.userTime, at.systemTime),
      cpuOfEnded: micros(at.userTimeOfEnded, at.systemTimeOfEnded),
    };
  } catch {
    return undefined; // it has ended
  }
}
