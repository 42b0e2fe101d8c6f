import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { commandLine } from '../../src/operator/cli/command-line.ts';
import { administratorOperations, rightOf } from '../../src/schema/index.ts';

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

test('docs/console.md lists the rights of every operation of administrators', () => {
  const rows = [...read('docs/console.md').matchAll(/^\| (`.+`) \| (.*) \| (.*) \| (.*) \|$/gm)];
  const documented = rows.flatMap(([, names, roles, isConfirmed, needsReason]) =>
    names!.match(/\w+/g)!.map((name) => [name, roles, isConfirmed, needsReason].join(' | ')),
  );
  const expected = administratorOperations().map((name) => {
    const { roles, isConfirmed, needsReason, harmlessMembers, confirmedMembers } = rightOf(name)!;
    const others = roles.filter((role) => role !== 'owner').join(', ') || '–';
    const listed = (harmlessMembers ?? confirmedMembers ?? []).map((one) => `\`${one}\``).join(', ');
    const confirmation = listed === '' ? 'yes' : `${harmlessMembers ? 'except for' : 'for'} ${listed}`;
    return [name, others, isConfirmed ? confirmation : '', needsReason ? 'yes' : ''].join(' | ');
  });
  expect(documented.sort()).toEqual(expected.sort());
});

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
