import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

// Running the commands of CONTRIBUTING.md would take hours; these tests only check that each command is valid.

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const commands = [...read('CONTRIBUTING.md').matchAll(/^\| `((?:[A-Z_]+=|np[mx] )[^`]+)` \|/gm)].map(
  ([, command]) => command!,
);
const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);
const [, listed] = /BENCHMARKS[^{]*{([^}]*)}/.exec(read('bench/index.ts'))!;
const BENCHMARKS = [...listed!.matchAll(/^ {2}'?([a-z-]+)/gm)].map(([, name]) => name!);

test('CONTRIBUTING.md lists commands of every kind', () => {
  expect(commands.length).toBeGreaterThan(15);
  for (const kind of ['parity', 'attacks', 'guards', 'chaos', 'fuzz', 'bench', 'layers'])
    expect(commands.join('\n')).toContain(kind);
});

test.each(commands)('%s names an existing script or test file', (command) => {
  const words = command.split(' ');
  const variables = words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('=')[0]!);
  const [program, ...rest] = words.slice(variables.length);

  const files = rest.filter((word) => word.startsWith('test/'));
  for (const file of files) expect(existsSync(join(ROOT, file)), file).toBe(true);
  const read = (name: string) => readFileSync(join(ROOT, 'test', name), 'utf8');
  for (const variable of variables)
    expect(
      tests.some((name) => read(name).includes(variable)),
      variable,
    ).toBe(true);

  if (program === 'npx') expect([rest.slice(0, 2), files.length > 0]).toEqual([['vitest', 'run'], true]);
  else expect([program, scriptOf(rest)]).toEqual(['npm', expect.any(String)]);
  if (rest[1] === 'bench') {
    const names = rest.slice(2).filter((word) => /^[a-z][a-z-]*$/.test(word));
    expect(BENCHMARKS).toEqual(expect.arrayContaining(names));
  }
});

function scriptOf(words: string[]): string | undefined {
  const [first, name] = words.filter((word) => word !== '--silent');
  return JSON.parse(read('package.json')).scripts[first === 'run' ? name! : first!];
}
