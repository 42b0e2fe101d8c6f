import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';

const MAX_INTEGER = 2_147_483_647;

export function applicationOption(): Option {
  return new Option('--application <id>', 'id of the application').argParser(wholeNumber).makeOptionMandatory();
}

export function optionalApplicationOption(): Option {
  return new Option('--application <id>', 'id of the application (default: all)').argParser(wholeNumber);
}

export function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= MAX_INTEGER) return Number(text);
  throw new InvalidArgumentError(`Expected an integer from 0 to ${MAX_INTEGER}.`);
}

export function switchOption(name: string, description: string): Option {
  return new Option(`--${name} <on|off>`, description).argParser((text) => {
    if (text === 'on' || text === 'off') return text === 'on';
    throw new InvalidArgumentError('Expected on or off.');
  });
}

/** `false` is the value of a `--no-…` option. */
export function clearable<Value>(settings: Value | false | undefined): Value | null | undefined {
  return settings === false ? null : settings;
}

export async function readNamedFile(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`${option}: ${(error as Error).message}`);
  }
}

export function timeOf(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('It must be an ISO 8601 time.');
  return time;
}
