import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { commandLine } from '../../src/operator/cli/command-line.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const cli = read('docs/reference/cli.md');
const configuration = read('docs/reference/configuration.md');
const variables = [...read('src/config.ts').matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name!);

test('docs/reference/configuration.md has a table row for every variable of src/config.ts', () => {
  const documented = [...configuration.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell]) => cell!.match(/[A-Z_]{4,}/g));
  expect(variables.length).toBeGreaterThan(30);
  expect(variables.filter((name) => !documented.includes(name))).toEqual([]);
});

test('docs/reference/configuration.md states the defaults of src/config.ts', () => {
  const defaults = [...read('src/config.ts').matchAll(/^ {2}([A-Z_]+): .*\.default\('?([^')]+)'?\)/gm)];
  const wrong = defaults.filter(([, name, value]) => {
    const row = configuration.match(new RegExp(`^\\| .*\`${name}\`[^|]*\\|([^|]*)\\|`, 'm'));
    return !row?.[1]?.includes(`\`${value}\``);
  });
  expect(defaults.length).toBeGreaterThan(10);
  expect(wrong.map(([line]) => line)).toEqual([]);
});

test.each(commandsOf(commandLine()))(
  'docs/reference/cli.md has a section for "%s" with all its options',
  (name, command) => {
    const [, section] = cli.split(new RegExp(`^### ${name}$`, 'm'));
    expect(section).toBeDefined();
    const [text] = section!.split(/^##/m);
    expect(text).toContain(`npm run --silent cli -- ${name}`);
    expect(command.options.map(({ long }) => long!).filter((option) => !text!.includes(option))).toEqual([]);
  },
);

/** Commands without subcommands, with their full names. */
function commandsOf(program: Command, parents: string[] = []): [name: string, command: Command][] {
  return program.commands.flatMap((command) => {
    const names = [...parents, command.name()];
    return command.commands.length > 0 ? commandsOf(command, names) : [[names.join(' '), command]];
  });
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
