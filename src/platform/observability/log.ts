import { type DestinationStream, type Logger, pino } from 'pino';
import { redactError } from './redact.ts';

export function createLog(
  level: string,
  destination: DestinationStream = pino.destination(1),
  fields: Record<string, unknown> = {},
): Logger {
  const log = pino({ level, serializers: { err: (error: unknown) => redactError(error) } }, destination);
  return Object.keys(fields).length > 0 ? log.child(fields) : log;
}

/** Formats log lines for a terminal: `12:00:01 INFO request method=GET route=/session …` */
export function readable(out: { write: (text: string) => unknown }): DestinationStream {
  return {
    write(line) {
      const { level, time, msg, pid: _pid, hostname: _hostname, err, ...rest } = JSON.parse(line);
      const label = (pino.levels.labels[level] ?? String(level)).toUpperCase();
      const facts = Object.entries(rest).map(([name, value]) => `${name}=${textOf(value)}`);
      out.write(`${[timeOf(time), label.padEnd(5), msg ?? '', ...facts].join(' ')}\n`);
      for (let error = err; error; error = error.cause) {
        out.write(`  ${error.type}: ${error.message}\n${error.stack ? `${error.stack}\n` : ''}`);
      }
    },
  };
}

function timeOf(time: number): string {
  return new Date(time).toTimeString().slice(0, 8);
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
