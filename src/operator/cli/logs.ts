import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { type LoggedRequestRow, listRequests } from '../../administration/request-log/list.ts';
import { NO_APPLICATION_ID } from '../../platform/observability/request-log.ts';
import { findApplication } from '../../resolvers/applications/find.ts';
import { administer, missing } from './administer.ts';
import { wholeNumber } from './options.ts';

interface Options {
  application?: number;
  status?: { minStatus: number; maxStatus: number };
  requestId?: string;
  route?: string;
  user?: number;
  slow?: boolean;
  first?: number;
}

const COLUMNS = ['at', 'status', 'request', 'caller', 'ms', 'requestId', 'error'] as const;

export function addLogsCommand(program: Command): void {
  program
    .command('logs')
    .description('list failed and slow requests, newest first')
    .addOption(
      new Option('--application <id>', 'id of the application (default: requests without an application)').argParser(
        wholeNumber,
      ),
    )
    .option('--status <status>', 'a status like 404, or a class like 4xx', statusOf)
    .option('--request-id <id>', 'header X-Request-Id of the response')
    .option('--route <text>', 'part of the route, the operation name or a root field')
    .option('--user <id>', 'id of the user', wholeNumber)
    .option('--slow', 'only slow requests')
    .option('--first <number>', 'length of the list, 1 to 100; default: 50', wholeNumber)
    .action(({ application, ...options }: Options, command: Command) =>
      administer(command, async () => {
        if (application !== undefined) {
          await findApplication(application).catch(missing(`application ${application}`));
        }
        const { status, requestId, route: contains, user: userId, slow: slowOnly, first } = options;
        const filter = { ...status, requestId, contains, userId, slowOnly };
        const { edges } = await listRequests(application ?? NO_APPLICATION_ID, { filter, first });
        const rows = edges.map(({ node }) => node);
        return command.optsWithGlobals().json
          ? {
              value: rows.map(({ id, responseBytes, ...row }) => ({
                id: String(id),
                ...row,
                responseBytes: numberOf(responseBytes),
              })),
            }
          : { value: rows.map(lineOf), columns: COLUMNS };
      }),
    );
}

function lineOf({ at, status, method, route, path, operation, caller, userId, apiKeyId, ...row }: LoggedRequestRow) {
  const { administratorId, durationMs, requestId, errors } = row;
  return {
    at,
    status,
    request: [method, path ?? route, operation].filter((part) => part !== null).join(' '),
    caller: [caller, userId ?? apiKeyId ?? administratorId].filter((part) => part !== null).join(' '),
    ms: durationMs,
    requestId,
    error: errors[0]?.message,
  };
}

function numberOf(bytes: bigint | null): number | null {
  return bytes === null ? null : Number(bytes);
}

function statusOf(text: string): Options['status'] {
  const [, digit] = /^([1-5])xx$/.exec(text) ?? [];
  if (digit !== undefined) return { minStatus: Number(digit) * 100, maxStatus: Number(digit) * 100 + 99 };
  if (/^[1-5]\d\d$/.test(text)) return { minStatus: Number(text), maxStatus: Number(text) };
  throw new InvalidArgumentError('Expected a status like 404 or a class like 4xx.');
}
