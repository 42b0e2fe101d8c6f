import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';

const MAX_WHOLE = 2_147_483_647;

/** `--application <id>`, which has to be given. */
export function applicationOption(): Option {
  return new Option('--application <id>', 'the application').argParser(wholeNumber).makeOptionMandatory();
}

/** An argument that is a whole number as the database has them. */
export function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= MAX_WHOLE) return Number(text);
  throw new InvalidArgumentError(`It should be a whole number up to ${MAX_WHOLE}.`);
}

/** `--name <on|off>`, a boolean. */
export function switchOption(name: string, description: string): Option {
  return new Option(`--${name} <on|off>`, description).argParser((text) => {
    if (text === 'on' || text === 'off') return text === 'on';
    throw new InvalidArgumentError('It should be on or off.');
  });
}

/** Of an option that has a `--no-…`, too: that one takes the value away. */
export function clearable<Value>(settings: Value | false | undefined): Value | null | undefined {
  return settings === false ? null : settings;
}

/** The text of a file that an option names. */
export async function readNamedFile(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`${option}: ${(error as Error).message}`);
  }
}
